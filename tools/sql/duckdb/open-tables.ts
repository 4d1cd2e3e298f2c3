/** SQL engines for tables of workflows. Each database is in memory, in a process that has only one at a time. */
import { SkeinError } from '../../../state/errors.ts';
import { lease } from '../../processes/lease.ts';
import { openPool } from '../../processes/pool.ts';
import { type SqlEngine, SqlError } from '../engine.ts';
import type { SqlLimits } from '../limits.ts';
import type { TableData } from '../table-data.ts';
import type { Answer, Task } from './messages.ts';
import { answeredBy } from './process/answered-by.ts';
import { type Child, startChild } from './process/child.ts';
import { openSpare } from './process/spare.ts';

/** `tables` is called again if the process with the tables has ended or was given to another run. */
export type OpenTables = (tables: () => TableData[], limits: SqlLimits) => SqlEngine;

interface Slot {
  child: Child | undefined;
  /** Identifies the tables that are loaded in the process. */
  owner: object | undefined;
}

// The number of runs that can query concurrently. Other runs wait until one of them pauses.
const PROCESSES = 4;
// A run that pauses longer between two statements loses its process, and its tables are loaded again.
const PAUSE_MS = 500;
const MAX_WAITING = 4_096;
const MAX_MEMORY = 512 * 1024 * 1024;
const LOAD_MS = 10_000;

/** The number of processes is limited, however many runs provide tables. */
export function openTablesPool(): { open: OpenTables; close(): Promise<void> } {
  const slots = Array.from({ length: PROCESSES }, (): Slot => ({ child: undefined, owner: undefined }));
  const waiting = { jobs: 'SQL statements', maxWaiting: MAX_WAITING };
  const pool = openPool(slots, waiting);
  const spare = openSpare({ maxMemory: MAX_MEMORY });
  let ended = false;

  async function started(slot: Slot, data: TableData[], signal: AbortSignal | undefined): Promise<Child> {
    const child = spare.take() ?? startChild({ maxMemory: MAX_MEMORY });
    slot.child = child;
    await load(child, data, signal);
    return child;
  }

  return {
    open(tables, { maxRows, querySeconds }) {
      const owner = {};
      // Runs one statement at a time, because a second process for the same tables would have to load them, too.
      const queue = openPool([owner], waiting);
      const own = lease(pool, PAUSE_MS, ownOrOldest);
      let closed = false;

      function run(task: Task, signal?: AbortSignal): Promise<Answer> {
        return queue.use(() => own.use((slot) => ask(slot, task, signal), signal), signal);
      }

      async function ask(slot: Slot, task: Task, signal: AbortSignal | undefined): Promise<Answer> {
        const child = await childFor(slot, signal);
        return child.ask(task, { ms: querySeconds * 1000, signal });
      }

      function ownOrOldest(free: readonly Slot[]): number {
        const own = free.findIndex((slot) => slot.owner === owner);
        const unowned = free.findIndex((slot) => slot.owner === undefined);
        return Math.max(0, own < 0 ? unowned : own);
      }

      async function childFor(slot: Slot, signal: AbortSignal | undefined): Promise<Child> {
        if (slot.child && slot.owner === owner && slot.child.fit()) return slot.child;
        await slot.child?.end();
        // The run ended while it waited for a process.
        if (closed) throw new SkeinError('INTERNAL_ERROR', { detail: 'The run of these tables has ended' });
        if (ended) throw new SkeinError('SHUTTING_DOWN');
        // Must come before the start of the process: if `tables` throws, a process without the tables must not count as one
        // with them.
        const data = tables();
        slot.owner = owner;
        // Try a second time, because another program may have ended the process.
        return started(slot, data, signal).catch((error) => {
          if (closed || ended || signal?.aborted || !(error instanceof SkeinError)) throw error;
          return started(slot, data, signal);
        });
      }

      return {
        ...answeredBy(run, maxRows),
        async close() {
          closed = true;
          const taken = slots.filter((slot) => slot.owner === owner);
          for (const slot of taken) slot.owner = undefined;
          await Promise.all(taken.map(({ child }) => child?.end()));
          own.end();
          spare.prepare();
        },
      };
    },
    async close() {
      ended = true;
      pool.close();
      await Promise.all([spare.close(), ...slots.map(({ child }) => child?.end())]);
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
