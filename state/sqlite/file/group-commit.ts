/** Group commit: all writes of one turn of the event loop share a transaction and resolve when it is on disk. */
import type { Database } from 'bun:sqlite';
import { asStorageFull } from '../../errors.ts';
import { fileError, isBusy } from './file-error.ts';

export interface GroupCommit {
  /**
   * Runs `work` in the next transaction and resolves with its result when the transaction is on disk. If one call of `work`
   * throws, all others of the same `unit` (such as a thread) in the transaction are rolled back, too.
   */
  write<T>(unit: string, work: () => T): Promise<T>;
  /**
   * Like `write`, but resolves after the commit: the data survives a crash of this process. It survives a crash of the machine
   * after the next sync, at most `DEFER_MS` later. For writes that clients don't know of yet.
   */
  commit<T>(unit: string, work: () => T): Promise<T>;
  /** Like `commit`, for writes that are not urgent: joins the next transaction, at most `DEFER_MS` later. */
  defer<T>(unit: string, work: () => T): Promise<T>;
  /** Resolves when all earlier commits are on disk. */
  durable(): Promise<void>;
  /** Commits queued writes immediately, so that a following read sees them. */
  flush(): void;
  /** Calls `flush` if writes of these units are queued; returns whether they were. */
  flushOf(units: string[]): boolean;
  /** SQLite's error code if the newest transaction failed: the disk is full, or the file was locked for too long. */
  failure(): string | undefined;
  /** Whether the newest write failed because the disk is full. */
  isFull(): boolean;
  /** The number of transactions committed since the start. */
  commits(): number;
}

interface Entry {
  unit: string;
  work: () => unknown;
  /** Whether the caller waits for the sync. */
  isSynced: boolean;
  committed: PromiseWithResolvers<unknown>;
  durable: PromiseWithResolvers<void>;
}

type Unsynced = Pick<PromiseWithResolvers<void>, 'resolve' | 'reject'>;

// Long enough for a deferred write to join another transaction. Short, because a crash loses the writes of this time; the run
// creates them again from its row.
const DEFER_MS = 25;
const BUSY_MS = 50;
const BUSY_LIMIT_MS = 5_000;

/**
 * With `synchronous=FULL`, SQLite waits for the disk after each commit. Here, SQLite writes its WAL without waiting (`NORMAL`,
 * which cannot corrupt the file), and `sync`, an `fdatasync` of the WAL, follows. A write resolves when a sync that started
 * after its commit has ended. The durability is that of FULL, but all commits during a sync share the next one, and commits
 * whose result is not awaited cause no extra sync.
 *
 * Entries run in the order in which they were queued. If one throws, the batch is rolled back and each unit is retried in a
 * separate transaction, so that only the unit of the failed entry fails.
 */
export function groupCommit(db: Database, sync: () => Promise<void>): GroupCommit {
  let queue: Entry[] = [];
  let immediate: ReturnType<typeof setImmediate> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let unsynced: Unsynced[] = [];
  let syncing: Promise<void> | undefined;
  let syncTimer: ReturnType<typeof setTimeout> | undefined;
  let busySince: number | undefined;
  let failureCode: string | undefined;
  let full = false;
  let committed = 0;
  const begin = db.query('BEGIN IMMEDIATE');
  const end = db.query('COMMIT');

  function enqueue(unit: string, work: () => unknown, isSynced: boolean): Entry {
    const [committed, durable] = [Promise.withResolvers<unknown>(), Promise.withResolvers<void>()];
    // A caller awaits only one of the two promises; a rejection of the other one must not count as unhandled.
    committed.promise.catch(() => {});
    durable.promise.catch(() => {});
    const entry = { unit, work, isSynced, committed, durable };
    queue.push(entry);
    return entry;
  }

  function flush(): void {
    clearImmediate(immediate);
    clearTimeout(timer);
    immediate = timer = undefined;
    if (queue.length === 0) return;
    const batch = queue;
    queue = [];
    const failure = settle(batch);
    const busy = isBusy(failure);
    busySince = busy ? (busySince ?? Date.now()) : undefined;
    if (failure === undefined) return;
    if (busySince !== undefined && Date.now() - busySince < BUSY_LIMIT_MS) {
      // Another process is writing to the file, and the transaction did not start. Retry the whole batch.
      queue = [...batch, ...queue];
      timer ??= setTimeout(flush, BUSY_MS);
      return;
    }
    if (busy) {
      failureCode = 'SQLITE_BUSY';
      for (const entry of batch) reject(entry, failure);
      return;
    }
    for (const unit of Map.groupBy(batch, (entry) => entry.unit).values()) {
      const error = settle(unit);
      if (error !== undefined) for (const entry of unit) reject(entry, error);
    }
  }

  /** Commits `entries` in one transaction and resolves them. Otherwise returns the error and leaves them pending. */
  function settle(entries: Entry[]): unknown {
    try {
      const results = transaction(entries);
      for (const [index, { committed, durable }] of entries.entries()) {
        committed.resolve(results[index]);
        unsynced.push(durable);
      }
      if (entries.some(({ isSynced }) => isSynced)) startSync();
      else syncTimer ??= setTimeout(startSync, DEFER_MS);
    } catch (error) {
      return error ?? new Error('The transaction failed');
    }
  }

  function transaction(entries: Entry[]): unknown[] {
    try {
      begin.run();
      const results = entries.map((entry) => entry.work());
      end.run();
      committed++;
      failureCode = undefined;
      full = false;
      return results;
    } catch (error) {
      if (db.inTransaction) db.run('ROLLBACK');
      const { code } = error as { code?: string };
      // SQLITE_BUSY is retried first.
      if (code?.startsWith('SQLITE_') && code !== 'SQLITE_BUSY') failureCode = code;
      throw callerError(error);
    }
  }

  /** Remembers whether the disk is full; returns the error for callers. */
  function callerError(error: unknown): unknown {
    const reason = asStorageFull(error);
    full = reason !== undefined;
    return reason ?? fileError(error);
  }

  function startSync(): void {
    syncing ??= syncAll();
  }

  async function syncAll(): Promise<void> {
    while (unsynced.length > 0) {
      clearTimeout(syncTimer);
      syncTimer = undefined;
      const waiting = unsynced;
      unsynced = [];
      try {
        await sync();
        for (const { resolve } of waiting) resolve();
      } catch (error) {
        const failure = callerError(error);
        for (const { reject } of waiting) reject(failure);
      }
    }
    syncing = undefined;
  }

  return {
    async write<T>(unit: string, work: () => T) {
      immediate ??= setImmediate(flush);
      const entry = enqueue(unit, work, true);
      const result = await entry.committed.promise;
      await entry.durable.promise;
      return result as T;
    },
    commit<T>(unit: string, work: () => T) {
      immediate ??= setImmediate(flush);
      return enqueue(unit, work, false).committed.promise as Promise<T>;
    },
    defer<T>(unit: string, work: () => T) {
      if (immediate === undefined) timer ??= setTimeout(flush, DEFER_MS);
      return enqueue(unit, work, false).committed.promise as Promise<T>;
    },
    durable() {
      if (unsynced.length === 0 && syncing === undefined) return Promise.resolve();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      unsynced.push({ resolve, reject });
      startSync();
      return promise;
    },
    flush,
    flushOf(units) {
      if (!queue.some(({ unit }) => units.includes(unit))) return false;
      flush();
      return true;
    },
    failure: () => failureCode,
    isFull: () => full,
    commits: () => committed,
  };
}

function reject({ committed, durable }: Entry, error: unknown): void {
  committed.reject(error);
  durable.reject(error);
}
