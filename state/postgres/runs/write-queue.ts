/**
 * Queues the writes of runs and sends them in few statements: writes during a statement share the next one. The writes of a
 * unit are committed in order, and a failed write fails those behind it.
 */

import { isLeaseLost, type Lease, LeaseLost } from '../../cluster/lease.ts';
import { isUnavailable } from '../../errors.ts';
import { answerOf } from '../database/answer-of.ts';
import { type Database, document } from '../database/database.ts';
import {
  compare,
  documentsOf,
  type QueuedRows,
  type StatementSequence,
  type UnitDocument,
} from './unit-documents.ts';
import type { Urgency, WriteQueue, WriteUnit } from './writes.ts';

/** Queued writes of a run that another statement writes. Call exactly one of `committed` and `failed`. */
interface Taken {
  writes: { units: UnitDocument[]; place: StatementSequence };
  committed(): void;
  failed(error: unknown): void;
}

export interface RunWriteQueue extends WriteQueue {
  /** Waits for running statements and removes the unit's other writes from the queue. Throws the error of a failed write. */
  take(unit: WriteUnit): Promise<Taken>;
  /** Must be called after the last write of the unit. */
  forget(unit: WriteUnit): void;
  /** Resolves when all current writes have succeeded or failed. */
  written(): Promise<void>;
  /** Resolves when the queue is empty and no statement is running. */
  idle(): Promise<void>;
}

export interface WriteQueueParts {
  database: Database;
  /** The current id of this server. */
  server(): string;
  /** How long to retry a write while the database is unreachable. */
  retryForMs: number;
  /** Called when a run's lease is found to be lost. */
  lost(lease: Lease): void;
}

interface Entry extends QueuedRows {
  durable: boolean;
  done: PromiseWithResolvers<void>;
}

interface Unit extends WriteUnit, StatementSequence {
  pending: Entry[];
  inFlight: Promise<unknown> | undefined;
  failure: { error: unknown } | undefined;
  /** Set when the end of the run writes the rest, so that no other statement takes the entries of its log. */
  ending: boolean;
}

// As in the SQLite driver: long enough to share a statement with other writes.
const SOON_MS = 25;
const RETRY_MS = 200;
/** Concurrent statements. With more, fewer writes share a statement. */
const MAX_STATEMENTS = 4;

export function writeQueue({ database, server, retryForMs, lost: onLost }: WriteQueueParts): RunWriteQueue {
  const units = new Map<string, Unit>();
  let statements = 0;
  let immediate: ReturnType<typeof setImmediate> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let idle = Promise.withResolvers<void>();

  function unitOf({ threadKey, lease }: WriteUnit): Unit {
    const key = keyOf({ threadKey, lease });
    const known = units.get(key);
    if (known) {
      known.threadKey ||= threadKey;
      return known;
    }
    const created: Unit = {
      ...{ threadKey, lease, pending: [], inFlight: undefined, failure: undefined, ending: false },
      ...{ number: 0, confirmed: 0 },
    };
    units.set(key, created);
    return created;
  }

  function schedule(urgency: Urgency): void {
    if (urgency === 'soon') timer ??= setTimeout(flush, SOON_MS);
    else immediate ??= setImmediate(flush);
  }

  function flush(): void {
    clearImmediate(immediate);
    clearTimeout(timer);
    immediate = timer = undefined;
    if (statements >= MAX_STATEMENTS) return;
    const ready = [...units.values()].filter(
      ({ pending, inFlight, ending }) => pending.length > 0 && !inFlight && !ending,
    );
    if (ready.length === 0) {
      settleIdle();
      return;
    }
    statements++;
    const sent = ready.map((unit) => ({ unit, entries: unit.pending.splice(0) }));
    const statement = send(sent).finally(() => {
      statements--;
      for (const { unit } of sent) unit.inFlight = undefined;
      for (const { unit } of sent) drop(unit);
      flush();
    });
    for (const { unit } of sent) unit.inFlight = statement;
  }

  function settleIdle(): void {
    if (statements > 0 || [...units.values()].some(({ pending, ending }) => pending.length > 0 && !ending))
      return;
    idle.resolve();
    idle = Promise.withResolvers<void>();
  }

  interface Sent {
    unit: Unit;
    entries: Entry[];
  }

  /** Never rejects: failures reject the promises of the entries. */
  async function send(sent: Sent[]): Promise<void> {
    try {
      const failed = await written(sent);
      for (const one of sent) settle(one, failed.has(one) ? lost(one.unit) : undefined);
    } catch (error) {
      if (sent.length === 1 || isUnavailable(error)) for (const one of sent) settle(one, { error });
      // Retry each unit alone, so that one unit's error does not fail the others.
      else for (const one of sent) await send([one]);
    }
  }

  /** Executes the statement; returns the units whose lease is lost. */
  async function written(sent: Sent[]): Promise<Set<Sent>> {
    const documents = sent.flatMap((one) => {
      const sequence = nextSequence(one.unit);
      return documentsOf(one.unit, one.entries).map((unitDocument, index) => ({
        one,
        unitDocument: index === 0 && one.unit.lease ? { ...unitDocument, place: sequence } : unitDocument,
      }));
    });
    documents.sort((a, b) => compare(a.unitDocument, b.unitDocument));
    const durable = sent.some(({ entries }) => entries.some((entry) => entry.durable));
    const text = document(documents.map(({ unitDocument }) => unitDocument));
    const until = Date.now() + retryForMs;
    for (;;) {
      try {
        const lost = await answerOf<number[]>(
          database,
          'SELECT skein.write_v1($1::text::jsonb, $2, $3) AS answer',
          ...[text, server(), durable],
        );
        for (const { unit } of sent) unit.confirmed = unit.number;
        return new Set(documents.flatMap(({ one }, index) => (lost.includes(index) ? [one] : [])));
      } catch (error) {
        if (!isUnavailable(error) || Date.now() > until) throw error;
        await Bun.sleep(RETRY_MS);
      }
    }
  }

  function settle({ unit, entries }: Sent, failure: Unit['failure']): void {
    if (failure) unit.failure ??= failure;
    if (unit.lease && isLeaseLost(failure?.error)) onLost(unit.lease);
    for (const { done } of entries) {
      if (failure) done.reject(failure.error);
      else done.resolve();
    }
    if (!unit.failure) return;
    for (const { done } of unit.pending.splice(0)) done.reject(unit.failure.error);
  }

  /** Removes a unit without a lease when it has no more writes. */
  function drop(unit: Unit): void {
    if (!unit.lease && unit.pending.length === 0 && !unit.inFlight) units.delete(keyOf(unit));
  }

  return {
    add(target, rows, urgency) {
      const unit = unitOf(target);
      if (unit.failure) return Promise.reject(unit.failure.error);
      const done = Promise.withResolvers<void>();
      // Most writes are not awaited: the end of the run throws their failure.
      done.promise.catch(() => {});
      unit.pending.push({ rows, durable: urgency === 'durable', done });
      schedule(urgency);
      return done.promise;
    },
    async settled({ threadKey, lease }) {
      const own = lease && units.get(keyOf({ threadKey, lease }));
      const all = lease ? [own] : [...units.values()].filter((unit) => unit.threadKey === threadKey);
      await Promise.all(
        all.map(async (unit) => {
          // If the end of the run could not be written, its remaining writes are never written.
          const last = unit?.ending ? undefined : unit?.pending.at(-1)?.done.promise;
          if (last) flush();
          while (unit?.inFlight) await unit.inFlight;
          await last;
        }),
      );
    },
    async take(target) {
      const unit = unitOf(target);
      unit.ending = true;
      await unit.inFlight;
      // A waiting run only writes its log, and its end writes the log again, so nothing was lost while the database was
      // unreachable.
      if (unit.lease?.number === 0 && isUnavailable(unit.failure?.error)) unit.failure = undefined;
      if (unit.failure) throw unit.failure.error;
      const entries = unit.pending.splice(0);
      return {
        writes: { units: documentsOf(unit, entries), place: nextSequence(unit) },
        committed: () => settle({ unit, entries }, undefined),
        failed(error) {
          if (isUnavailable(error)) unit.pending.unshift(...entries);
          else settle({ unit, entries }, { error });
        },
      };
    },
    forget(target) {
      const unit = units.get(keyOf(target));
      units.delete(keyOf(target));
      if (unit?.lease) settle({ unit, entries: unit.pending.splice(0) }, lost(unit));
    },
    async written() {
      const works = [...units.values()].flatMap(({ pending, inFlight }) => [
        pending.at(-1)?.done.promise,
        inFlight,
      ]);
      flush();
      await Promise.allSettled(works);
    },
    idle() {
      const { promise } = idle;
      flush();
      return promise;
    },
  };
}

function nextSequence(unit: Unit): StatementSequence {
  unit.number++;
  return { number: unit.number, confirmed: unit.confirmed };
}

function keyOf({ threadKey, lease }: WriteUnit): string {
  return lease ? `${lease.runId} ${lease.number}` : threadKey;
}

function lost({ lease }: Unit): Unit['failure'] {
  return { error: new LeaseLost(lease as Lease) };
}
