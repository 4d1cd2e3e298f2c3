/** Group commit: every write of one turn of the event loop shares a transaction, and resolves once that is on disk. */
import type { Database } from 'bun:sqlite';
import { storageFull } from '../../errors.ts';
import { fileError, isBusy } from './file-error.ts';

export interface GroupCommit {
  /**
   * Runs `work` inside the next transaction and resolves with what it gave once that transaction is on disk. Works of
   * one `unit` (a thread) that share a transaction are all or nothing.
   */
  write<T>(unit: string, work: () => T): Promise<T>;
  /**
   * The same, but resolves with the commit: safe from the end of this process, however sudden, and from the machine's
   * with the next durable write, `DEFER_MS` later at most. For what nobody outside is told of yet.
   */
  commit<T>(unit: string, work: () => T): Promise<T>;
  /** The same as `commit` for what is not urgent: it rides along with the next transaction, `DEFER_MS` later at most. */
  defer<T>(unit: string, work: () => T): Promise<T>;
  /** While `work` goes on, which holds the file, writes wait for it however long it takes. */
  waitingFor<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when all that was committed before the call is on disk. */
  durable(): Promise<void>;
  /** Commits what is queued now, so that a read that follows sees it. */
  flush(): void;
  /** The same where something of these units is queued; otherwise false, and the read need not follow. */
  flushOf(units: string[]): boolean;
  /** What the database said to the newest transaction if it failed: the disk is full, the file has been locked for too long. */
  failure(): string | undefined;
  /** Whether the newest write failed for want of room. */
  isFull(): boolean;
  /** How many transactions were committed since the start. */
  commits(): number;
}

interface Entry {
  unit: string;
  work: () => unknown;
  /** Whether somebody waits for the disk. */
  urgent: boolean;
  committed: PromiseWithResolvers<unknown>;
  durable: PromiseWithResolvers<void>;
}

// Long enough for a deferred write to find a transaction to ride along with, short enough that a crash loses nothing
// that is not made again from the run's own row.
const DEFER_MS = 25;
const BUSY_MS = 50;
const BUSY_LIMIT_MS = 5_000;

/**
 * Where SQLite's own `synchronous=FULL` waits for the disk after each commit, here it writes its log without waiting
 * (`NORMAL`, which never corrupts) and `sync`, a `fdatasync` of that log, follows; a write resolves when a sync that
 * began after its commit has ended. So durability is that of FULL, but commits that come while a sync runs share the
 * next one, and a commit that nobody waits for costs no sync of its own.
 *
 * Works run in the order in which they were queued. Where one throws, the other units are not harmed: the batch is
 * rolled back and each unit gets a transaction of its own.
 */
export function groupCommit(db: Database, sync: () => Promise<void>): GroupCommit {
  let queue: Entry[] = [];
  let immediate: ReturnType<typeof setImmediate> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let unsynced: Pick<PromiseWithResolvers<void>, 'resolve' | 'reject'>[] = [];
  let syncing: Promise<void> | undefined;
  let syncTimer: ReturnType<typeof setTimeout> | undefined;
  let busySince: number | undefined;
  let patient = 0;
  let refused: string | undefined;
  let full = false;
  let committed = 0;
  const begin = db.query('BEGIN IMMEDIATE');
  const end = db.query('COMMIT');

  function enqueue(unit: string, work: () => unknown, urgent: boolean): Entry {
    const [committed, durable] = [Promise.withResolvers<unknown>(), Promise.withResolvers<void>()];
    // Who waits for one of the two must not be told of the other's failure as unhandled.
    committed.promise.catch(() => {});
    durable.promise.catch(() => {});
    const entry = { unit, work, urgent, committed, durable };
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
    if (busySince !== undefined && (patient > 0 || Date.now() - busySince < BUSY_LIMIT_MS)) {
      // Somebody outside writes to the file: nothing was done yet, and all of it is tried again.
      queue = [...batch, ...queue];
      timer ??= setTimeout(flush, BUSY_MS);
      return;
    }
    if (busy) {
      refused = 'SQLITE_BUSY';
      for (const entry of batch) refuse(entry, failure);
      return;
    }
    for (const unit of Map.groupBy(batch, (entry) => entry.unit).values()) {
      const error = settle(unit);
      if (error !== undefined) for (const entry of unit) refuse(entry, error);
    }
  }

  /** Commits `entries` in one transaction and resolves them, or gives the error and leaves them as they were. */
  function settle(entries: Entry[]): unknown {
    try {
      const results = transaction(entries);
      entries.forEach((entry, index) => {
        entry.committed.resolve(results[index]);
      });
      unsynced.push(...entries.map(({ durable }) => durable));
      if (entries.some(({ urgent }) => urgent)) startSync();
      else syncTimer ??= setTimeout(startSync, DEFER_MS);
    } catch (error) {
      return error ?? new Error('the transaction failed');
    }
  }

  function transaction(entries: Entry[]): unknown[] {
    try {
      begin.run();
      const results = entries.map((entry) => entry.work());
      end.run();
      committed++;
      refused = undefined;
      full = false;
      return results;
    } catch (error) {
      if (db.inTransaction) db.run('ROLLBACK');
      const { code } = error as { code?: string };
      // A file that another program holds is waited for first.
      if (code?.startsWith('SQLITE_') && code !== 'SQLITE_BUSY') refused = code;
      throw noted(error);
    }
  }

  /** As callers get it. */
  function noted(error: unknown): unknown {
    const reason = storageFull(error);
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
        const failure = noted(error);
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
    async waitingFor(work) {
      patient++;
      try {
        return await work();
      } finally {
        patient--;
        busySince = undefined;
      }
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
    failure: () => refused,
    isFull: () => full,
    commits: () => committed,
  };
}

function refuse({ committed, durable }: Entry, error: unknown): void {
  committed.reject(error);
  durable.reject(error);
}
