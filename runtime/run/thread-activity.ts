/** The runs of this process by thread, and who is to be told when one begins or the thread's state is changed from outside. */
import type { RunLog } from '../journal/run-log.ts';

export interface LiveRun {
  log: Pick<RunLog, 'listen' | 'changed' | 'closed'>;
  ended: Promise<unknown>;
}

export interface ThreadActivity {
  runStarted(threadKey: string, run: LiveRun): void;
  /** Its log has an entry that is of no run. */
  changed(threadKey: string): void;
  /** Those that have not ended, in the order in which they began. */
  of(threadKey: string): LiveRun[];
  /** `told` is called at each of these on the thread and at the end of its runs, or on any thread without a key, and at the end of the service. */
  watch(threadKey: string | undefined, listener: () => void): () => void;
  /** The service stops: whoever follows a thread stops as well. */
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
