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

interface Kept {
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
  const runs = new Map<string, Kept>();
  let bytes = 0;

  function grow(kept: Kept, by: number): void {
    kept.bytes += by;
    bytes += by;
    for (const [runId, oldest] of runs) {
      if (bytes <= limits.total && runs.size <= limits.runs) return;
      drop(runId, oldest);
    }
  }

  function drop(runId: string, kept: Kept): void {
    runs.delete(runId);
    bytes -= kept.bytes;
  }

  function add(kept: Kept, call: EndedCall, by: Caller): void {
    const objects = OBJECT_BYTES * (1 + call.messages.length);
    const before = limits.perRun - kept.bytes - objects;
    if (before < 0) {
      kept.leftOut++;
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
    kept.calls.push({
      call: {
        ...rest,
        response,
        messages: messages.map(({ kept }) => kept),
        parameters: hasRoom ? parameters : {},
      },
      isWhole: hasRoom && messages.every(({ isWhole }) => isWhole),
      by: { ...by, prompts },
    });
    grow(kept, objects + before - remaining);
  }

  return {
    open(runId, threadKey) {
      const kept: Kept = { threadKey, bytes: 0, calls: [], leftOut: 0 };
      runs.set(runId, kept);
      grow(kept, OBJECT_BYTES);
      return {
        add(call, by = UNKNOWN_CALLER) {
          if (runs.get(runId) === kept) add(kept, call, by);
        },
      };
    },
    of(runId) {
      const kept = runs.get(runId);
      return kept && { calls: kept.calls, leftOut: kept.leftOut };
    },
    forget(threadKey) {
      for (const [runId, kept] of runs) if (kept.threadKey === threadKey) drop(runId, kept);
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
