/** SQL engines over tables that workflows bring: each in memory, in a process that holds no other while it is asked. */
import { SkeinError } from '../../../../state/errors.ts';
import { openPool } from '../../processes/pool.ts';
import { type SqlEngine, SqlError } from '../engine.ts';
import type { SqlLimits } from '../limits.ts';
import type { TableData } from '../table-data.ts';
import { answeredBy } from './answered-by.ts';
import { type Child, startChild } from './child.ts';
import type { Answer, Task } from './messages.ts';

/** `tables` is called again where the process that had them was ended, by a statement or to make place for others. */
export type OpenTables = (tables: () => TableData[], limits: SqlLimits) => SqlEngine;

interface Place {
  child: Child | undefined;
  /** Whose tables the child has. */
  owner: object | undefined;
}

// Runs that ask at the same time without taking each other's place; whoever comes then waits for a statement, not a run.
const PROCESSES = 4;
const MAX_WAITING = 4_096;
const MAX_MEMORY = 512 * 1024 * 1024;
const LOAD_MS = 10_000;
// A process that waits holds some 80 MB: it is kept while documents come one after the other.
const SPARE_MS = 60_000;

/** However many runs bring tables, there are only so many processes. */
export function openTablesPool(): { open: OpenTables; close(): Promise<void> } {
  const places = Array.from({ length: PROCESSES }, (): Place => ({ child: undefined, owner: undefined }));
  const waiting = { jobs: 'SQL statements', maxWaiting: MAX_WAITING };
  const pool = openPool(places, waiting);
  const spare = openSpare();

  return {
    open(tables, { maxRows, querySeconds }) {
      const owner = {};
      // One at a time: a second process for the same tables would have to load them too.
      const own = openPool([owner], waiting);
      let closed = false;

      function run(task: Task, signal?: AbortSignal): Promise<Answer> {
        return own.use(() => pool.use((place) => ask(place, task, signal), signal, ownOrOldest), signal);
      }

      async function ask(place: Place, task: Task, signal: AbortSignal | undefined): Promise<Answer> {
        const child = await childFor(place, signal);
        return child.ask(task, { ms: querySeconds * 1000, signal });
      }

      function ownOrOldest(free: readonly Place[]): number {
        const own = free.findIndex((place) => place.owner === owner);
        const unowned = free.findIndex((place) => place.owner === undefined);
        return Math.max(0, own < 0 ? unowned : own);
      }

      async function childFor(place: Place, signal: AbortSignal | undefined): Promise<Child> {
        if (place.child && place.owner === owner && place.child.fit()) return place.child;
        await place.child?.end();
        // Who has waited for the place until its run had ended needs none.
        if (closed) throw new SkeinError('INTERNAL_ERROR', { detail: 'The run of these tables has ended' });
        // Before there is a process: one without its tables must not be taken for one that has them.
        const data = tables();
        const child = spare.take() ?? startWorker();
        place.owner = owner;
        place.child = child;
        await load(child, data, signal);
        return child;
      }

      return {
        ...answeredBy(run, maxRows),
        async close() {
          closed = true;
          const own = places.filter((place) => place.owner === owner);
          for (const place of own) place.owner = undefined;
          await Promise.all(own.map(({ child }) => child?.end()));
          spare.prepare();
        },
      };
    },
    async close() {
      pool.close();
      await Promise.all([spare.close(), ...places.map(({ child }) => child?.end())]);
    },
  };
}

function startWorker(): Child {
  return startChild({ maxMemory: MAX_MEMORY });
}

async function load(child: Child, tables: TableData[], signal: AbortSignal | undefined): Promise<void> {
  try {
    const answer = await child.ask({ do: 'load', tables }, { ms: LOAD_MS, signal });
    if (answer.is === 'failed') throw new SqlError(answer.failure);
  } catch (cause) {
    void child.end();
    if (!(cause instanceof SqlError)) throw cause;
    const detail = 'the tables cannot be made';
    throw new SkeinError('DATABASE_CONNECTION_FAILED', { detail, cause });
  }
}

/** A process for the next run, started when one has ended: most of what a run waits for is its start. */
function openSpare() {
  let prepared: Child | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  /** Undefined where there is none that waits. */
  function take(): Child | undefined {
    clearTimeout(timer);
    const taken = prepared;
    prepared = undefined;
    if (!taken || taken.fit()) return taken;
    void taken.end();
    return undefined;
  }

  async function drop(): Promise<void> {
    await take()?.end();
  }

  return {
    take,
    prepare() {
      if (closed || prepared) return;
      prepared = startWorker();
      timer = setTimeout(drop, SPARE_MS);
      timer.unref();
    },
    async close() {
      closed = true;
      await drop();
    },
  };
}
