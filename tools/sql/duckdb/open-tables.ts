/** SQL engines over tables of workflows: each in memory, in a process that holds only one at a time. */
import { SkeinError } from '../../../state/errors.ts';
import { lease } from '../../processes/lease.ts';
import { openPool } from '../../processes/pool.ts';
import { type SqlEngine, SqlError } from '../engine.ts';
import type { SqlLimits } from '../limits.ts';
import type { TableData } from '../table-data.ts';
import { answeredBy } from './answered-by.ts';
import { type Child, startChild } from './child.ts';
import type { Answer, Task } from './messages.ts';
import { openSpare } from './spare.ts';

/** `tables` is called again if the process that held them ended or was given to another run. */
export type OpenTables = (tables: () => TableData[], limits: SqlLimits) => SqlEngine;

interface Place {
  child: Child | undefined;
  /** Whose tables the process holds. */
  owner: object | undefined;
}

// Runs that query concurrently without displacing each other; more runs wait for one that pauses.
const PROCESSES = 4;
// A run that pauses longer between two statements loses its process, and its tables are loaded again.
const PAUSE_MS = 500;
const MAX_WAITING = 4_096;
const MAX_MEMORY = 512 * 1024 * 1024;
const LOAD_MS = 10_000;

/** The number of processes is limited, however many runs bring tables. */
export function openTablesPool(): { open: OpenTables; close(): Promise<void> } {
  const places = Array.from({ length: PROCESSES }, (): Place => ({ child: undefined, owner: undefined }));
  const waiting = { jobs: 'SQL statements', maxWaiting: MAX_WAITING };
  const pool = openPool(places, waiting);
  const spare = openSpare({ maxMemory: MAX_MEMORY });
  let ended = false;

  async function started(place: Place, data: TableData[], signal: AbortSignal | undefined): Promise<Child> {
    const child = spare.take() ?? startChild({ maxMemory: MAX_MEMORY });
    place.child = child;
    await load(child, data, signal);
    return child;
  }

  return {
    open(tables, { maxRows, querySeconds }) {
      const owner = {};
      // One at a time: a second process for the same tables would have to load them too.
      const line = openPool([owner], waiting);
      const own = lease(pool, PAUSE_MS, ownOrOldest);
      let closed = false;

      function run(task: Task, signal?: AbortSignal): Promise<Answer> {
        return line.use(() => own.use((place) => ask(place, task, signal), signal), signal);
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
        // The run ended while it waited for a process.
        if (closed) throw new SkeinError('INTERNAL_ERROR', { detail: 'The run of these tables has ended' });
        if (ended) throw new SkeinError('SHUTTING_DOWN');
        // Reset before a process exists: one without the tables must not pass for one with them.
        const data = tables();
        place.owner = owner;
        // A second attempt, since another program may have ended the process.
        return started(place, data, signal).catch((error) => {
          if (closed || ended || signal?.aborted || !(error instanceof SkeinError)) throw error;
          return started(place, data, signal);
        });
      }

      return {
        ...answeredBy(run, maxRows),
        async close() {
          closed = true;
          const taken = places.filter((place) => place.owner === owner);
          for (const place of taken) place.owner = undefined;
          await Promise.all(taken.map(({ child }) => child?.end()));
          own.end();
          spare.prepare();
        },
      };
    },
    async close() {
      ended = true;
      pool.close();
      await Promise.all([spare.close(), ...places.map(({ child }) => child?.end())]);
    },
  };
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
