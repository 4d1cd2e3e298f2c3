/**
 * What runs write while they go on, as few statements: what comes while one is under way shares the next. A unit's writes
 * are committed in their order, and one that fails stops those behind it.
 */

import { isUnavailable } from '../../errors.ts';
import { isLeaseLost, type Lease, LeaseLost } from '../../lease.ts';
import { type Database, document } from '../database/database.ts';
import {
  compare,
  documentsOf,
  type QueuedRows,
  type StatementPlace,
  type UnitDocument,
} from './unit-documents.ts';
import type { Urgency, WriteQueue, WriteUnit } from './writes.ts';

/** What a run has not sent yet, for a statement of another kind. Exactly one of the two functions is to be called. */
interface Taken {
  writes: { units: UnitDocument[]; place: StatementPlace };
  committed(): void;
  failed(error: unknown): void;
}

export interface RunWriteQueue extends WriteQueue {
  /** Waits for what is under way, and takes the rest out of the queue. Throws what an earlier write failed with. */
  take(unit: WriteUnit): Promise<Taken>;
  /** The unit writes no more. */
  forget(unit: WriteUnit): void;
  /** Resolves when what is queued or under way now is written, or has failed. */
  written(): Promise<void>;
  /** Resolves when nothing is queued or under way. */
  idle(): Promise<void>;
}

export interface WriteQueueParts {
  database: Database;
  /** This server's id, as it is now. */
  server(): string;
  /** For so long a write is tried again while the database cannot be reached. */
  patienceMs: number;
  /** A run's lease was found to be lost. */
  lost(runId: string): void;
}

interface Entry extends QueuedRows {
  durable: boolean;
  done: PromiseWithResolvers<void>;
}

interface Unit extends WriteUnit, StatementPlace {
  pending: Entry[];
  flying: Promise<unknown> | undefined;
  failure: { error: unknown } | undefined;
  /** The run's end writes what is left: its log gives the entries that belong to it to nobody else. */
  ends: boolean;
}

// As the SQLite driver: long enough to find company.
const SOON_MS = 25;
const RETRY_MS = 200;
/** Statements under way at a time. With more, each has less company. */
const LANES = 4;

export function writeQueue({ database, server, patienceMs, lost: told }: WriteQueueParts): RunWriteQueue {
  const units = new Map<string, Unit>();
  let lanes = 0;
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
    const made: Unit = {
      ...{ threadKey, lease, pending: [], flying: undefined, failure: undefined, ends: false },
      ...{ number: 0, confirmed: 0 },
    };
    units.set(key, made);
    return made;
  }

  function schedule(urgency: Urgency): void {
    if (urgency === 'soon') timer ??= setTimeout(flush, SOON_MS);
    else immediate ??= setImmediate(flush);
  }

  function flush(): void {
    clearImmediate(immediate);
    clearTimeout(timer);
    immediate = timer = undefined;
    if (lanes >= LANES) return;
    const ready = [...units.values()].filter(
      ({ pending, flying, ends }) => pending.length > 0 && !flying && !ends,
    );
    if (ready.length === 0) {
      settleIdle();
      return;
    }
    lanes++;
    const sent = ready.map((unit) => ({ unit, entries: unit.pending.splice(0) }));
    const statement = send(sent).finally(() => {
      lanes--;
      for (const { unit } of sent) unit.flying = undefined;
      for (const { unit } of sent) drop(unit);
      flush();
    });
    for (const { unit } of sent) unit.flying = statement;
  }

  function settleIdle(): void {
    if (lanes > 0 || [...units.values()].some(({ pending, ends }) => pending.length > 0 && !ends)) return;
    idle.resolve();
    idle = Promise.withResolvers<void>();
  }

  interface Sent {
    unit: Unit;
    entries: Entry[];
  }

  /** Never rejects: who waits for an entry is told. */
  async function send(sent: Sent[]): Promise<void> {
    try {
      const failed = await written(sent);
      for (const one of sent) settle(one, failed.has(one) ? lost(one.unit) : undefined);
    } catch (error) {
      if (sent.length === 1 || isUnavailable(error)) for (const one of sent) settle(one, { error });
      // What one unit writes must not harm the others.
      else for (const one of sent) await send([one]);
    }
  }

  /** Those whose lease is lost. */
  async function written(sent: Sent[]): Promise<Set<Sent>> {
    const documents = sent.flatMap((one) => {
      const place = nextPlace(one.unit);
      return documentsOf(one.unit, one.entries).map((made, index) => ({
        one,
        made: index === 0 && one.unit.lease ? { ...made, place } : made,
      }));
    });
    documents.sort((a, b) => compare(a.made, b.made));
    const durable = sent.some(({ entries }) => entries.some((entry) => entry.durable));
    const text = document(documents.map(({ made }) => made));
    const until = Date.now() + patienceMs;
    for (;;) {
      try {
        const row = await database.get<{ lost: number[] }>(
          'SELECT skein.write_v1($1::text::jsonb, $2, $3) AS lost',
          ...[text, server(), durable],
        );
        for (const { unit } of sent) unit.confirmed = unit.number;
        return new Set(row?.lost.flatMap((place) => documents[place]?.one ?? []));
      } catch (error) {
        if (!isUnavailable(error) || Date.now() > until) throw error;
        await Bun.sleep(RETRY_MS);
      }
    }
  }

  function settle({ unit, entries }: Sent, failure: Unit['failure']): void {
    if (failure) unit.failure ??= failure;
    if (unit.lease && isLeaseLost(failure?.error)) told(unit.lease.runId);
    for (const { done } of entries) {
      if (failure) done.reject(failure.error);
      else done.resolve();
    }
    if (!unit.failure) return;
    for (const { done } of unit.pending.splice(0)) done.reject(unit.failure.error);
  }

  /** A unit without a lease is nobody's: nothing is remembered of it. */
  function drop(unit: Unit): void {
    if (!unit.lease && unit.pending.length === 0 && !unit.flying) units.delete(keyOf(unit));
  }

  return {
    add(target, rows, urgency) {
      const unit = unitOf(target);
      if (unit.failure) return Promise.reject(unit.failure.error);
      const done = Promise.withResolvers<void>();
      // Most writes are not waited for: the run's end throws their failure.
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
          // What is left for an end that was not written goes with the lease.
          const last = unit?.ends ? undefined : unit?.pending.at(-1)?.done.promise;
          if (last) flush();
          while (unit?.flying) await unit.flying;
          await last;
        }),
      );
    },
    async take(target) {
      const unit = unitOf(target);
      unit.ends = true;
      await unit.flying;
      // Of a run that waits there is nothing but the log, which is written again.
      if (unit.lease?.number === 0 && isUnavailable(unit.failure?.error)) unit.failure = undefined;
      if (unit.failure) throw unit.failure.error;
      const entries = unit.pending.splice(0);
      return {
        writes: { units: documentsOf(unit, entries), place: nextPlace(unit) },
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
      const works = [...units.values()].flatMap(({ pending, flying }) => [
        pending.at(-1)?.done.promise,
        flying,
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

function nextPlace(unit: Unit): StatementPlace {
  unit.number++;
  return { number: unit.number, confirmed: unit.confirmed };
}

function keyOf({ threadKey, lease }: WriteUnit): string {
  return lease ? `${lease.runId} ${lease.number}` : threadKey;
}

function lost({ lease }: Unit): Unit['failure'] {
  return { error: new LeaseLost(lease as Lease) };
}
