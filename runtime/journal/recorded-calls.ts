/** Records the requests and responses of the latest runs' model calls: only in memory, with a size limit. */
import type { Caller } from '../../graphs/authoring/run/run-context.ts';
import type { EndedCall, ModelParameters } from '../../tools/models/call/call.ts';
import {
  type RecordedMessage,
  type RecordedPrompt,
  recordMessage,
  recordPrompt,
  type TextBudget,
} from './recorded-texts.ts';

export interface RecordedCall {
  call: Omit<EndedCall, 'messages' | 'sent' | 'parameters'> & {
    messages: RecordedMessage[];
    parameters: ModelParameters;
  };
  /** The recorded request is complete, so the call can be sent again. */
  isWhole: boolean;
  /** `agent` is null for calls of the runtime itself: a summary or follow-up questions. */
  by: Omit<Caller, 'prompts'> & { prompts: RecordedPrompt[] };
}

export interface RecordedCalls {
  /** Starts recording the calls of a run. The oldest runs are dropped to stay within the limits. */
  open(runId: string, threadKey: string): { add(call: EndedCall, by?: Caller): void };
  /** Undefined if the run is no longer recorded. `leftOut`: the number of calls that exceeded the run's limit. */
  of(runId: string): { calls: RecordedCall[]; leftOut: number } | undefined;
  /** Drops the runs of a thread. */
  forget(threadKey: string): void;
}

export interface CallLimits {
  runs: number;
  /** This limit and the following ones are in bytes. */
  total: number;
  perRun: number;
  /** For a single text. */
  perText: number;
}

interface RunCalls {
  threadKey: string;
  bytes: number;
  calls: RecordedCall[];
  leftOut: number;
}

const MIB = 1024 * 1024;

// The number of runs is limited because of the garbage collector: bytes alone would allow twenty thousand small runs.
const LIMITS: CallLimits = { runs: 500, total: 32 * MIB, perRun: MIB, perText: MIB / 4 };

// An estimate for an object with its fields.
const OBJECT_BYTES = 256;
// An upper bound that doesn't depend on the text: a string takes two bytes per character if any of them is not Latin-1.
const CHARACTER_BYTES = 2;

export function recordedCalls(limits: CallLimits = LIMITS): RecordedCalls {
  const runs = new Map<string, RunCalls>();
  let bytes = 0;

  function grow(run: RunCalls, by: number): void {
    run.bytes += by;
    bytes += by;
    for (const [runId, oldest] of runs) {
      if (bytes <= limits.total && runs.size <= limits.runs) return;
      drop(runId, oldest);
    }
  }

  function drop(runId: string, run: RunCalls): void {
    runs.delete(runId);
    bytes -= run.bytes;
  }

  function add(run: RunCalls, call: EndedCall, by: Caller): void {
    const objects = OBJECT_BYTES * (1 + call.messages.length);
    const before = limits.perRun - run.bytes - objects;
    if (before < 0) {
      run.leftOut++;
      return;
    }
    let remaining = before;
    const texts: TextBudget = {
      fitted(text) {
        const shown = cut(text, Math.min(remaining, limits.perText));
        remaining -= Math.min(remaining, shown.length * CHARACTER_BYTES);
        return shown;
      },
      takes(text) {
        const bytes = text.length * CHARACTER_BYTES;
        if (bytes > Math.min(remaining, limits.perText)) return false;
        remaining -= bytes;
        return true;
      },
    };
    const { sent, parameters, ...rest } = call;
    // Record the answer first, so that a long question doesn't use up its space.
    const response = call.response === null ? null : texts.fitted(call.response);
    const messages = call.messages.map((message, index) => recordMessage(message, sent?.[index], texts));
    const hasRoom = parameters !== undefined && texts.takes(JSON.stringify(parameters));
    const prompts = by.prompts.map((prompt) => recordPrompt(prompt, messages, texts));
    run.calls.push({
      call: {
        ...rest,
        response,
        messages: messages.map(({ message }) => message),
        parameters: hasRoom ? parameters : {},
      },
      isWhole: hasRoom && messages.every(({ isWhole }) => isWhole),
      by: { ...by, prompts },
    });
    grow(run, objects + before - remaining);
  }

  return {
    open(runId, threadKey) {
      const run: RunCalls = { threadKey, bytes: 0, calls: [], leftOut: 0 };
      runs.set(runId, run);
      grow(run, OBJECT_BYTES);
      return {
        add(call, by = UNKNOWN_CALLER) {
          if (runs.get(runId) === run) add(run, call, by);
        },
      };
    },
    of(runId) {
      const run = runs.get(runId);
      return run && { calls: run.calls, leftOut: run.leftOut };
    },
    forget(threadKey) {
      for (const [runId, run] of runs) if (run.threadKey === threadKey) drop(runId, run);
    },
  };
}

const UNKNOWN_CALLER: Caller = { agent: null, step: null, prompts: [] };

/** Cuts a text to about `bytes` bytes and appends a note with the number of removed characters. */
function cut(text: string, bytes: number): string {
  const most = Math.floor(bytes / CHARACTER_BYTES);
  if (text.length <= most) return text;
  // Copied through a buffer, because a slice keeps the whole string in memory.
  const begin = Buffer.from(text.slice(0, most)).toString();
  return `${begin}… [${text.length - most} characters left out]`;
}
