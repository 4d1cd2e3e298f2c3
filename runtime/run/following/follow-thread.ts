/** Follows the log of a thread over all its runs: past batches from the store, new ones as they are stored. */
import type { ThreadBatch } from '../../../state/events.ts';
import type { State } from '../../../state/state.ts';
import type { LiveRun, ThreadActivity } from '../thread-activity.ts';

/** Batches to read at once: bounds the memory that a reader who is behind costs. */
const PAGE = 4;
// A thread that is deleted, and what another process stores, is noticed after this time.
const LOOK_MS = 5_000;
/** Where other processes have runs of the thread. */
export const LOOK_SHARED_MS = 250;

export interface FollowThreadParts {
  events: Pick<State['events'], 'readThread'>;
  activity: ThreadActivity;
  /** Milliseconds. */
  lookAgain?: number | undefined;
}

export interface FollowedThread {
  /** The key of the thread; undefined while there is none. */
  keyOf(): Promise<string | undefined>;
  signal: AbortSignal;
}

/**
 * All batches of the thread in order, each once; `[]` each time that there are no more for now. Ends when `signal` aborts,
 * the thread is deleted, or the service stops.
 */
export async function* followThread(
  { events, activity, lookAgain = LOOK_MS }: FollowThreadParts,
  { keyOf, signal }: FollowedThread,
): AsyncGenerator<ThreadBatch[]> {
  const listening = listeners();
  const abort = () => listening.wake();
  signal.addEventListener('abort', abort, { once: true });
  let leave = () => {};
  let key: string | undefined;
  let after = 0;
  try {
    leave = activity.watch(undefined, listening.wake);
    while (!signal.aborted && !activity.closed) {
      const changed = listening.next();
      const found = key ?? (await keyOf());
      if (found !== undefined && key === undefined) {
        leave();
        key = found;
        leave = activity.watch(key, listening.wake);
      }
      if (key !== undefined) for (const run of activity.of(key)) listening.to(run);
      const batches = key === undefined ? [] : await events.readThread(key, after, PAGE);
      yield batches;
      const last = batches.at(-1);
      if (last) after = last.seq + last.last - last.first;
      else if (!(await soon(changed, lookAgain)) && key !== undefined && (await keyOf()) !== key) return;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    leave();
    listening.end();
  }
}

function listeners() {
  const heard = new Map<LiveRun, () => void>();
  let change = Promise.withResolvers<void>();
  const wake = () => change.resolve();

  async function hear(run: LiveRun): Promise<void> {
    while (heard.has(run) && !run.log.closed) {
      await run.log.changed();
      wake();
    }
    heard.get(run)?.();
    heard.delete(run);
  }

  return {
    wake,
    /** Resolves at the next change from now on. */
    next() {
      change = Promise.withResolvers();
      return change.promise;
    },
    to(run: LiveRun) {
      if (heard.has(run) || run.log.closed) return;
      heard.set(run, run.log.listen());
      void hear(run);
    },
    end() {
      for (const leave of heard.values()) leave();
      heard.clear();
    },
  };
}

/** False where it takes longer. */
async function soon(promise: Promise<void>, milliseconds: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), milliseconds);
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
