/** The SQL engine for a DuckDB file, in processes that are killed when a statement exceeds its limits. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SkeinError } from '../../../state/errors.ts';
import { openPool } from '../../processes/pool.ts';
import type { SqlEngine } from '../engine.ts';
import type { Answer, Task } from './messages.ts';
import { answeredBy } from './process/answered-by.ts';
import { type Child, startChild } from './process/child.ts';

export interface DuckDbOptions {
  path: string;
  /** The maximum number of rows of a result. */
  maxRows?: number;
  /** Timeout of a statement, in seconds. */
  querySeconds?: number;
  /** The maximum resident memory of a process, in bytes. */
  maxMemory?: number;
  /** The number of concurrent statements. Each needs a process. */
  processes?: number;
  /** The maximum number of waiting statements. */
  waiting?: number;
}

// `waiting` is as high as the number of runs that could wait: their own deadlines limit them, and a rejection would waste their
// work.
const DEFAULTS = {
  maxRows: 200,
  querySeconds: 5,
  maxMemory: 512 * 1024 * 1024,
  processes: 2,
  waiting: 4_096,
};

/** Starts a process with the first statement. If the file has changed since it was opened, it is reopened. */
export function openDuckDb(given: DuckDbOptions): SqlEngine {
  const { querySeconds, processes, waiting, maxRows, maxMemory } = { ...DEFAULTS, ...given };
  // Absolute, because the processes have another working directory.
  const path = resolve(given.path);
  const slots = Array.from({ length: processes }, () => newSlot());
  const pool = openPool(slots, { jobs: 'SQL statements', maxWaiting: waiting });

  function run(task: Task, signal?: AbortSignal): Promise<Answer> {
    return pool.use(async (slot) => {
      const child = await childFor(slot);
      return child.ask(task, { ms: querySeconds * 1000, signal });
    }, signal);
  }

  async function childFor(slot: Slot): Promise<Child> {
    const version = await versionOf(path);
    if (slot.child && slot.version === version && slot.child.fit()) return slot.child;
    await slot.child?.end();
    slot.version = version;
    slot.child = startChild({ path, maxMemory });
    return slot.child;
  }

  return {
    ...answeredBy(run, maxRows),
    async close() {
      pool.close();
      await Promise.all(slots.map(({ child }) => child?.end()));
    },
  };
}

interface Slot {
  child: Child | undefined;
  /** The version of the file that the process has opened. */
  version: string;
}

function newSlot(): Slot {
  return { child: undefined, version: '' };
}

async function versionOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs].join(' ');
  } catch (cause) {
    const detail = 'The database file at local_sql_db.database_path does not exist or cannot be read';
    throw new SkeinError('DATABASE_CONNECTION_FAILED', { detail, cause });
  }
}
