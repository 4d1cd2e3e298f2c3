/** One connection through Bun's client, without a look at the environment. */
import { SQL } from 'bun';
import type { Target } from './target.ts';

/** `null` is the database's. */
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
  /** Our own text, which may be several statements; gives the rows of the last one, all values as text. */
  simple(text: string): Promise<RawRows>;
  /** One statement: the server refuses several. Values come as text. */
  prepared(text: string, values: unknown[]): Promise<RawRows>;
  /** Drops the connection at once. */
  close(): void;
  /** Asks the server to end what runs; PostgreSQL only. */
  cancel(): void;
}

const CONNECT_SECONDS = 5;

export function openBunClient(target: Target, adapter: 'postgres' | 'mysql'): BunClient {
  const { hostname, port, database, username, password } = target;
  const url = target.connectionString ?? `${adapter}://localhost/`;
  // Every field is given: Bun would take what is missing from DATABASE_URL, PGHOST and the like.
  const client = new SQL({
    ...{ url, adapter, hostname, port, database, username, password },
    max: 1,
    connectionTimeout: CONNECT_SECONDS,
    ...(adapter === 'postgres' ? { prepare: false } : {}),
    ...(/[?&](ssl-?mode|tls|ssl)=/i.test(url) ? {} : { tls: 'prefer' as const }),
  });
  // Held, not taken for each statement: after a lost connection another one would go on outside the transaction.
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

/** Of several statements each gives a result. */
function lastOf(answer: unknown): RawRows {
  const results = answer as Result | Result[];
  const last = isSeveral(results) ? results.at(-1) : results;
  const columns = (last?.columns ?? []).map(({ name, type, flags = 0 }) => ({ name, type, flags }));
  return { columns, rows: last ? [...last] : [] };
}

/** One result has its columns; the array around several has none. */
function isSeveral(results: Result | Result[]): results is Result[] {
  return !('columns' in results) || results.columns === undefined;
}
