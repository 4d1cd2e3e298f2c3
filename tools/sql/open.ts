/** The database for SQL workflows: a server if one is configured, otherwise the local file, optionally with sample data. */
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
  /** A description for display. */
  description: string;
  /** Returns an engine with these limits, which does nothing before its first use. */
  open: OpenSql;
  /** Returns an engine for tables of a workflow. */
  openTables: OpenTables;
  /** Creates the sample database in the background. The first use of an engine waits for it. */
  seed(): Promise<void>;
  /** What is missing on disk, in a sentence without paths; undefined while the sample database is created. */
  missing(): Promise<string | undefined>;
  /** Closes every engine. */
  close(): Promise<void>;
}

export interface SqlDatabaseOptions {
  /** The local file. */
  path: string;
  /** Whether to create a missing file with sample data. */
  seeds: boolean;
  cloud?: CloudSqlOptions | undefined;
}

/** Never uses the local file if a server is configured. `open` throws CONFIGURATION_ERROR. */
export function openSqlDatabase({ path, seeds, cloud }: SqlDatabaseOptions): SqlDatabase {
  const server = cloud && cloud.database_name !== 'skip' ? cloud : undefined;
  const engines: SqlEngine[] = [];
  const brought = openTablesPool();
  let seeded: Promise<unknown> | undefined;
  let seeding: 'to do' | 'done' | 'failed' = seeds && !server ? 'to do' : 'done';
  /** Creates the sample database once. After a failure, the next use tries again. */
  async function ready(): Promise<void> {
    if (!seeds || server) return;
    seeded ??= createSampleDatabase(path).catch((cause) => {
      seeded = undefined;
      seeding = 'failed';
      throw new SkeinError('DATABASE_CONNECTION_FAILED', {
        detail: 'The sample database could not be created',
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
    const why = seeding === 'failed' ? 'the sample database could not be created' : 'the file does not exist';
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

/** Wraps an engine, so that every use waits until the database exists. */
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
