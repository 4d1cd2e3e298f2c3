/** Follows a thread's log over all its runs: earlier batches from the database, new ones when they are stored. */
import { slices } from '../../../state/driver/slices.ts';
import type { State } from '../../../state/state.ts';
import type { ThreadBatch } from '../../../state/threads/events.ts';
import type { LiveRun, ThreadActivity } from '../thread-activity.ts';

/** The number of batches per read. It limits the memory that a slow reader takes. */
const PAGE = 4;
// The polling interval for the thread's deletion and for batches of other processes.
const LOOK_MS = 5_000;
/** The polling interval if other processes share the state and may execute runs of the thread. */
export const LOOK_SHARED_MS = 250;

const beginSlices = slices();

export interface FollowThreadParts {
  events: Pick<State['events'], 'readThread'>;
  activity: ThreadActivity;
  /** The polling interval in milliseconds. */
  lookAgain?: number | undefined;
}

export interface FollowedThread {
  /** The thread's key; undefined if the thread doesn't exist (yet). */
  keyOf(): Promise<string | undefined>;
  signal: AbortSignal;
}

/**
 * Yields all batches of the thread in order, each once, and `[]` whenever it has caught up. Ends when `signal` aborts, the
 * thread is deleted, or the service stops.
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
  const slice = beginSlices();
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
      if (last) {
        after = last.seq + last.last - last.first;
        // Reads of SQLite don't wait: the log of a long thread would block other requests.
        if (slice.isOver()) await slice.next();
      } else if (!(await soon(changed, lookAgain)) && key !== undefined && (await keyOf()) !== key) return;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    leave();
    listening.end();
  }
}

function listeners() {
  const followed = new Map<LiveRun, () => void>();
  let change = Promise.withResolvers<void>();
  const wake = () => change.resolve();

  async function hear(run: LiveRun): Promise<void> {
    while (followed.has(run) && !run.log.closed) {
      await run.log.changed();
      wake();
    }
    followed.get(run)?.();
    followed.delete(run);
  }

  return {
    wake,
    /** Resolves at the next change. */
    next() {
      change = Promise.withResolvers();
      return change.promise;
    },
    to(run: LiveRun) {
      if (followed.has(run) || run.log.closed) return;
      followed.set(run, run.log.listen());
      void hear(run);
    },
    end() {
      for (const leave of followed.values()) leave();
      followed.clear();
    },
  };
}

/** Returns false if the promise does not resolve in time. */
async function soon(promise: Promise<void>, milliseconds: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), milliseconds);
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
