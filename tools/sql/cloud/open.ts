/** Opens the SQL engine for a database server (experimental): PostgreSQL, MySQL, MariaDB or SQL Server. */
import type { SqlEngine } from '../engine.ts';
import type { SqlLimits } from '../limits.ts';
import type { CloudSqlOptions } from '../options.ts';
import { targetOf } from './target.ts';

/** Connects at first use. Throws CONFIGURATION_ERROR, naming the field, if a setting is missing. */
export function openCloudSql(options: CloudSqlOptions, limits: SqlLimits): SqlEngine {
  const target = targetOf(options);
  let opened: Promise<SqlEngine> | undefined;

  // Loading the guard and the drivers takes 9 ms and 4.6 MB, which a service with local data doesn't need.
  function engine(): Promise<SqlEngine> {
    opened ??= import('./engine.ts').then(({ cloudEngine }) => cloudEngine(target, limits));
    return opened;
  }

  return {
    dialect: target.dialect,
    tables: async (signal) => (await engine()).tables(signal),
    check: async (sql, signal) => (await engine()).check(sql, signal),
    query: async (sql, signal) => (await engine()).query(sql, signal),
    save: async (sql, target, signal) => (await engine()).save(sql, target, signal),
    async close() {
      await (await opened)?.close();
    },
  };
}
