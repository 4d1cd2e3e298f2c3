/** The runs of this process by thread, and listeners for their starts and ends and for state changes outside of runs. */
import type { RunLog } from '../journal/run-log.ts';

export interface LiveRun {
  log: Pick<RunLog, 'listen' | 'changed' | 'closed'>;
  ended: Promise<unknown>;
}

export interface ThreadActivity {
  runStarted(threadKey: string, run: LiveRun): void;
  /** Notifies the listeners of a log entry that belongs to no run. */
  changed(threadKey: string): void;
  /** The unfinished runs of a thread, oldest first. */
  of(threadKey: string): LiveRun[];
  /**
   * Calls `listener` when a run of the thread starts or ends, when the thread's state changes, and when the service
   * stops. Without a key, for all threads. Returns the function that unsubscribes.
   */
  watch(threadKey: string | undefined, listener: () => void): () => void;
  /** Notifies all listeners that the service stops. */
  close(): void;
  readonly closed: boolean;
}

export function threadActivity(): ThreadActivity {
  const runs = new Map<string, Set<LiveRun>>();
  const watchers = new Map<string | undefined, Set<() => void>>();
  let closed = false;

  function notify(threadKey: string | undefined): void {
    for (const listener of watchers.get(threadKey) ?? []) listener();
  }

  function changed(threadKey: string): void {
    notify(threadKey);
    notify(undefined);
  }

  return {
    runStarted(threadKey, run) {
      const settled = () => {
        drop(runs, threadKey, run);
        changed(threadKey);
      };
      add(runs, threadKey, run);
      run.ended.then(settled, settled);
      changed(threadKey);
    },
    changed,
    of: (threadKey) => [...(runs.get(threadKey) ?? [])],
    watch(threadKey, listener) {
      add(watchers, threadKey, listener);
      return () => drop(watchers, threadKey, listener);
    },
    close() {
      closed = true;
      for (const threadKey of watchers.keys()) notify(threadKey);
    },
    get closed() {
      return closed;
    },
  };
}

function add<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const set = sets.get(key) ?? new Set();
  sets.set(key, set.add(value));
}

function drop<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}
