/** As much of the package `mssql` as the driver needs; it is installed only by who has a SQL Server. */
import { SkeinError } from '../../../state/errors.ts';
import type { Target } from './target.ts';

export interface MssqlResult {
  recordset?: unknown[][];
  /** By result, then by column. */
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

// In a variable, so that neither the compiler nor a bundler looks for what need not be there.
const PACKAGE: string = 'mssql';
const VERSION = '12.7.14';

export async function importMssql() {
  const { ConnectionPool } = await load();
  return {
    async connect(target: Target, ms: number): Promise<MssqlPool> {
      const pool = new ConnectionPool(configOf(target, ms));
      // Else an ended connection would end the process.
      pool.on('error', () => {});
      return pool.connect();
    },
  };
}

async function load(): Promise<MssqlModule> {
  try {
    const found = await import(PACKAGE);
    return (found.default ?? found) as MssqlModule;
  } catch (cause) {
    const detail = `SQL Server needs the package ${PACKAGE}: run "bun add ${PACKAGE}@${VERSION}" and start again`;
    throw new SkeinError('DATABASE_CONNECTION_FAILED', { detail, cause });
  }
}

function configOf(target: Target, ms: number): object | string {
  // What is no URL is the package's own form: Server=…;Database=…
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
