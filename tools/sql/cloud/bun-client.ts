/** One connection through Bun's client, independent of environment variables. */
import { SQL } from 'bun';
import type { Target } from './target.ts';

/** The values of a row; null is SQL's NULL. */
export type RawRow = (Buffer | null)[];

export interface RawColumn {
  name: string;
  type: number;
  flags: number;
}

export interface RawRows {
  columns: RawColumn[];
  rows: RawRow[];
}

export interface BunClient {
  /** Runs the service's own SQL, which may be several statements. Returns the rows of the last one, with all values as text. */
  simple(text: string): Promise<RawRows>;
  /** Runs a single statement; the server rejects several. Values are returned as text. */
  prepared(text: string, values: unknown[]): Promise<RawRows>;
  /** Drops the connection immediately. */
  close(): void;
  /** Asks the server to cancel the running statement. Only works with PostgreSQL. */
  cancel(): void;
}

const CONNECT_SECONDS = 5;

export function openBunClient(target: Target, adapter: 'postgres' | 'mysql'): BunClient {
  const { hostname, port, database, username, password } = target;
  const url = target.connectionString ?? `${adapter}://localhost/`;
  // Set every field, because Bun reads missing fields from DATABASE_URL, PGHOST and similar variables.
  const client = new SQL({
    ...{ url, adapter, hostname, port, database, username, password },
    max: 1,
    connectionTimeout: CONNECT_SECONDS,
    ...(adapter === 'postgres' ? { prepare: false } : {}),
    ...(/[?&](ssl-?mode|tls|ssl)=/i.test(url) ? {} : { tls: 'prefer' as const }),
  });
  // Reserve a connection instead of taking one per statement: after a lost connection, another one would continue outside the
  // transaction.
  let held: Promise<Bun.ReservedSQL> | undefined;
  let running: { cancel(): unknown } | undefined;

  async function rowsOf(ask: (connection: Bun.ReservedSQL) => SQL.Query<unknown>): Promise<RawRows> {
    held ??= client.reserve();
    const query = ask(await held);
    running = query;
    try {
      return lastOf(await query);
    } finally {
      running = undefined;
    }
  }

  return {
    simple: (text) => rowsOf((connection) => connection.unsafe(text).simple().raw()),
    prepared: (text, values) => rowsOf((connection) => connection.unsafe(text, values).raw()),
    cancel() {
      running?.cancel();
    },
    close() {
      void client.close({ timeout: 0 }).catch(() => {});
    },
  };
}

type Result = RawRow[] & Partial<SQL.ResultMetadata>;

/** The last result, because several statements return a result each. */
function lastOf(answer: unknown): RawRows {
  const results = answer as Result | Result[];
  const last = isSeveral(results) ? results.at(-1) : results;
  const columns = (last?.columns ?? []).map(({ name, type, flags = 0 }) => ({ name, type, flags }));
  return { columns, rows: last ? [...last] : [] };
}

/** Whether there are several results. A single result has columns; the array of several results has none. */
function isSeveral(results: Result | Result[]): results is Result[] {
  return !('columns' in results) || results.columns === undefined;
}
