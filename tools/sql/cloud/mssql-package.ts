/** The part of the package `mssql` that the driver uses. The package is only installed if SQL Server is used. */
import { importOptional } from '../../../state/optional-package.ts';
import type { Target } from './target.ts';

export interface MssqlResult {
  recordset?: unknown[][];
  /** The columns of each result. */
  columns: { name: string; type?: { declaration: string } }[][];
}

export interface MssqlPool {
  request(): { arrayRowMode: boolean; query(text: string): Promise<MssqlResult> };
  close(): Promise<void>;
}

interface MssqlModule {
  ConnectionPool: new (
    config: object | string,
  ) => MssqlPool & { connect(): Promise<MssqlPool>; on(event: 'error', listener: () => void): void };
}

/** Throws CONFIGURATION_ERROR if the package is not installed. */
export async function importMssql() {
  const need = { field: 'cloud_sql.driver', who: 'SQL Server' };
  const found = await importOptional<MssqlModule & { default?: MssqlModule }>('mssql', need);
  const { ConnectionPool } = found.default ?? found;
  return {
    async connect(target: Target, ms: number): Promise<MssqlPool> {
      const pool = new ConnectionPool(configOf(target, ms));
      // Without a listener, a lost connection would end the process.
      pool.on('error', () => {});
      return pool.connect();
    },
  };
}

function configOf(target: Target, ms: number): object | string {
  // A value that isn't a URL is a connection string: Server=…;Database=…
  if (target.connectionString && !target.hostname) return target.connectionString;
  return {
    server: target.hostname,
    port: target.port,
    database: target.database,
    user: target.username,
    password: target.password,
    connectionTimeout: 5_000,
    requestTimeout: ms,
    arrayRowMode: true,
    pool: { max: 1, min: 0 },
    options: { encrypt: true, readOnlyIntent: true, abortTransactionOnError: true },
  };
}
