/** The database that SQL workflows ask: a server where one is configured, else the local file, if wanted with sample data. */
import { stat } from 'node:fs/promises';
import { SkeinError } from '../../state/errors.ts';
import { openCloudSql } from './cloud/open.ts';
import { openDuckDb } from './duckdb/open.ts';
import { type OpenTables, openTablesPool } from './duckdb/open-tables.ts';
import type { SqlEngine } from './engine.ts';
import type { SqlLimits } from './limits.ts';
import type { CloudSqlOptions } from './options.ts';
import { createSampleDatabase } from './sample/create.ts';

export type OpenSql = (limits: SqlLimits) => SqlEngine;

export interface SqlDatabase {
  /** What it is, for people. */
  description: string;
  /** Gives an engine with these bounds, which does nothing before its first use. */
  open: OpenSql;
  /** Gives an engine over tables that a workflow brings. */
  openTables: OpenTables;
  /** Makes the sample database in the background; an engine's first use waits for it. */
  seed(): Promise<void>;
  /** What is missing on disk, in a sentence that names no path; undefined while the sample database is made. */
  missing(): Promise<string | undefined>;
  /** Closes every engine. */
  close(): Promise<void>;
}

export interface SqlDatabaseOptions {
  /** The local file. */
  path: string;
  /** Whether a missing file is made with sample data. */
  seeds: boolean;
  cloud?: CloudSqlOptions | undefined;
}

/** Never falls back to the local file where a server is configured. Throws CONFIGURATION_ERROR at `open`. */
export function openSqlDatabase({ path, seeds, cloud }: SqlDatabaseOptions): SqlDatabase {
  const server = cloud && cloud.database_name !== 'skip' ? cloud : undefined;
  const engines: SqlEngine[] = [];
  const brought = openTablesPool();
  let seeded: Promise<unknown> | undefined;
  let seeding: 'to do' | 'done' | 'failed' = seeds && !server ? 'to do' : 'done';
  /** Made once; where that failed, the next use tries again. */
  async function ready(): Promise<void> {
    if (!seeds || server) return;
    seeded ??= createSampleDatabase(path).catch((cause) => {
      seeded = undefined;
      seeding = 'failed';
      throw new SkeinError('DATABASE_CONNECTION_FAILED', {
        detail: 'The sample database could not be made',
        cause,
      });
    });
    await seeded;
    seeding = 'done';
  }

  async function missing(): Promise<string | undefined> {
    if (server || seeding === 'to do') return undefined;
    const found = await stat(path).catch(() => undefined);
    if (found) return found.isFile() ? undefined : 'local_sql_db.database_path: expected a file';
    const why = seeding === 'failed' ? 'the sample database could not be made' : 'there is no such file';
    return `local_sql_db.database_path: ${why}. Run skein db import or skein db seed, or change the setting.`;
  }

  return {
    description: server ? 'SQL database server (experimental)' : 'local SQL database (DuckDB)',
    open(limits) {
      const engine = server ? openCloudSql(server, limits) : openDuckDb({ path, ...limits });
      engines.push(engine);
      return after(ready, engine);
    },
    openTables: brought.open,
    seed: ready,
    missing,
    async close() {
      await seeded?.catch(() => {});
      await Promise.all([brought, ...engines].map((one) => one.close()));
    },
  };
}

/** The engine, whose every use waits until the database is there. */
function after(ready: () => Promise<unknown>, engine: SqlEngine): SqlEngine {
  return {
    dialect: engine.dialect,
    tables: async (signal) => {
      await ready();
      return engine.tables(signal);
    },
    check: async (sql, signal) => {
      await ready();
      return engine.check(sql, signal);
    },
    query: async (sql, signal) => {
      await ready();
      return engine.query(sql, signal);
    },
    save: async (sql, target, signal) => {
      await ready();
      return engine.save(sql, target, signal);
    },
    close: () => engine.close(),
  };
}
