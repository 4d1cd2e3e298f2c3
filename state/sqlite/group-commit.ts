/** Group commit: every write of one turn of the event loop shares a transaction, and resolves once that is on disk. */
import type { Database } from 'bun:sqlite';

export interface GroupCommit {
  /**
   * Runs `work` inside the next transaction and resolves with what it gave once that transaction is on disk. Works of
   * one `unit` (a thread) that share a transaction are all or nothing.
   */
  write<T>(unit: string, work: () => T): Promise<T>;
  /** The same for what nobody waits for: it rides along with the next transaction, `DEFER_MS` later at most. */
  defer<T>(unit: string, work: () => T): Promise<T>;
  /** Commits what is queued now, so that a read that follows sees it. */
  flush(): void;
  /** How many transactions were committed since the start. */
  commits(): number;
}

interface Entry {
  unit: string;
  work: () => unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

// Long enough for a deferred write to find a transaction to ride along with, short enough that a crash loses nothing
// that is not made again from the run's own row.
const DEFER_MS = 25;

/**
 * A transaction in WAL mode with `synchronous=FULL` costs one fsync whatever it holds, so sharing it makes durable
 * writes of parallel turns about as cheap as volatile ones. Works run in the order in which they were queued. Where one
 * throws, the other units are not harmed: the batch is rolled back and each unit gets a transaction of its own.
 */
export function groupCommit(db: Database): GroupCommit {
  let queue: Entry[] = [];
  let immediate: ReturnType<typeof setImmediate> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let committed = 0;
  const begin = db.query('BEGIN IMMEDIATE');
  const end = db.query('COMMIT');

  function enqueue<T>(unit: string, work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      queue.push({ unit, work, resolve: (value) => resolve(value as T), reject });
    });
  }

  function flush(): void {
    clearImmediate(immediate);
    clearTimeout(timer);
    immediate = timer = undefined;
    if (queue.length === 0) return;
    const batch = queue;
    queue = [];
    if (settle(batch) === undefined) return;
    for (const unit of Map.groupBy(batch, (entry) => entry.unit).values()) {
      const error = settle(unit);
      if (error !== undefined) for (const entry of unit) entry.reject(error);
    }
  }

  /** Commits `entries` in one transaction and resolves them, or gives the error and leaves them as they were. */
  function settle(entries: Entry[]): unknown {
    try {
      const results = transaction(entries);
      entries.forEach((entry, index) => {
        entry.resolve(results[index]);
      });
    } catch (error) {
      return error ?? new Error('the transaction failed');
    }
  }

  function transaction(entries: Entry[]): unknown[] {
    begin.run();
    try {
      const results = entries.map((entry) => entry.work());
      end.run();
      committed++;
      return results;
    } catch (error) {
      if (db.inTransaction) db.run('ROLLBACK');
      throw error;
    }
  }

  return {
    write(unit, work) {
      immediate ??= setImmediate(flush);
      return enqueue(unit, work);
    },
    defer(unit, work) {
      if (immediate === undefined) timer ??= setTimeout(flush, DEFER_MS);
      return enqueue(unit, work);
    },
    flush,
    commits: () => committed,
  };
}
