/** What went into the model calls of the latest runs and came out of them: in memory only, and bounded there. */
import type { Caller } from '../../graphs/authoring/run-context.ts';
import type { Asked, EndedCall } from '../../tools/models/call.ts';
import {
  type RecordedMessage,
  type RecordedPrompt,
  recordMessage,
  recordPrompt,
  type TextBudget,
} from './recorded-texts.ts';

export interface RecordedCall {
  call: Omit<EndedCall, 'messages' | 'sent' | 'asked'> & { messages: RecordedMessage[]; asked: Asked };
  /** It can be sent again as it was: nothing of what was sent is missing. */
  isWhole: boolean;
  /** The `agent` is null where the runtime itself asked: for a summary, or follow-up questions. */
  by: Omit<Caller, 'prompts'> & { prompts: RecordedPrompt[] };
}

export interface RecordedCalls {
  /** Begins to keep the calls of a run on a thread; what is kept longest makes room. */
  open(runId: string, threadKey: string): { add(call: EndedCall, by?: Caller): void };
  /** Undefined where they are no longer kept. `leftOut`: how many there was no room for. */
  of(runId: string): { calls: RecordedCall[]; leftOut: number } | undefined;
  /** Forgets the runs of a thread. */
  forget(threadKey: string): void;
}

export interface CallLimits {
  runs: number;
  /** The rest in bytes. */
  total: number;
  perRun: number;
  /** Of one text. */
  perText: number;
}

interface Kept {
  threadKey: string;
  bytes: number;
  calls: RecordedCall[];
  leftOut: number;
}

const MIB = 1024 * 1024;

// More runs than anybody looks at, and few enough objects that the garbage collector does not feel them: by bytes alone
// there would be twenty thousand small ones.
const LIMITS: CallLimits = { runs: 500, total: 32 * MIB, perRun: MIB, perText: MIB / 4 };

// What an object with its fields takes, about.
const OBJECT_BYTES = 256;
// Strings with other than Latin characters take two bytes for each: an upper bound that costs nothing to know.
const CHARACTER_BYTES = 2;

export function recordedCalls(room: CallLimits = LIMITS): RecordedCalls {
  const runs = new Map<string, Kept>();
  let bytes = 0;

  function grow(kept: Kept, by: number): void {
    kept.bytes += by;
    bytes += by;
    for (const [runId, oldest] of runs) {
      if (bytes <= room.total && runs.size <= room.runs) return;
      drop(runId, oldest);
    }
  }

  function drop(runId: string, kept: Kept): void {
    runs.delete(runId);
    bytes -= kept.bytes;
  }

  function add(kept: Kept, call: EndedCall, by: Caller): void {
    const objects = OBJECT_BYTES * (1 + call.messages.length);
    const before = room.perRun - kept.bytes - objects;
    if (before < 0) {
      kept.leftOut++;
      return;
    }
    let left = before;
    const texts: TextBudget = {
      fitted(text) {
        const shown = cut(text, Math.min(left, room.perText));
        left -= Math.min(left, shown.length * CHARACTER_BYTES);
        return shown;
      },
      takes(text) {
        const bytes = text.length * CHARACTER_BYTES;
        if (bytes > Math.min(left, room.perText)) return false;
        left -= bytes;
        return true;
      },
    };
    const { sent, asked, ...rest } = call;
    // The answer first: a long question must not push it out.
    const response = call.response === null ? null : texts.fitted(call.response);
    const messages = call.messages.map((message, index) => recordMessage(message, sent?.[index], texts));
    const hasRoom = asked !== undefined && texts.takes(JSON.stringify(asked));
    const prompts = by.prompts.map((prompt) => recordPrompt(prompt, messages, texts));
    kept.calls.push({
      call: { ...rest, response, messages: messages.map(({ kept }) => kept), asked: hasRoom ? asked : {} },
      isWhole: hasRoom && messages.every(({ isWhole }) => isWhole),
      by: { ...by, prompts },
    });
    grow(kept, objects + before - left);
  }

  return {
    open(runId, threadKey) {
      const kept: Kept = { threadKey, bytes: 0, calls: [], leftOut: 0 };
      runs.set(runId, kept);
      grow(kept, OBJECT_BYTES);
      return {
        add(call, by = NOBODY) {
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

const NOBODY: Caller = { agent: null, step: null, prompts: [] };

/** At most about so many bytes, and a mark that says how much is missing. */
function cut(text: string, bytes: number): string {
  const most = Math.floor(bytes / CHARACTER_BYTES);
  if (text.length <= most) return text;
  // A copy: a part of a string would keep all of it in memory.
  const begin = Buffer.from(text.slice(0, most)).toString();
  return `${begin}… [${text.length - most} characters left out]`;
}
