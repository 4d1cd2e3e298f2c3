/** Connections to PostgreSQL: statements, transactions and notifications, with timeouts and retries. */
import { SQL } from 'bun';
import { asStorageFull, isUnavailable } from '../../errors.ts';
import { isTimeout, ResponseTimeout, stateError } from './failures.ts';

export type Value = string | number | boolean | null | Uint8Array;

export interface Statements {
  /** Returns the rows. Retries after a deadlock. The values are `$1`, `$2`, ... Columns of type bigint are numbers. */
  all<Row>(text: string, ...values: Value[]): Promise<Row[]>;
  /** Returns the first row, if there is one. */
  get<Row>(text: string, ...values: Value[]): Promise<Row | undefined>;
  /** Returns the number of changed rows. */
  run(text: string, ...values: Value[]): Promise<number>;
}

export interface Database extends Statements {
  /**
   * Runs `work` in a READ COMMITTED transaction, which is rolled back if `work` throws. Calls `work` again if PostgreSQL
   * aborted the transaction because of a deadlock.
   */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  /** Resolves when `listener` receives notifications. Listens again after a lost connection. */
  listen(channel: string, listener: (payload: string) => void): Promise<void>;
  /** Sends a notification. Ignores failures, because receivers also poll. */
  notify(channel: string, payload: string): void;
  /** Whether a statement has failed with STORAGE_FULL since the last call of `clearFull`. */
  isFull(): boolean;
  clearFull(): void;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  /** Number of connections, in addition to the one for notifications. */
  size: number;
  /** Timeout of a statement in milliseconds. */
  timeoutMs: number;
}

const CONNECT_SECONDS = 5;
const DEADLOCK = '40P01';
const TRIES = 4;
const INT8 = 20;

/** Connects with the first statement. Throws STATE_UNAVAILABLE if the database cannot be reached or doesn't respond. */
export function openDatabase(options: DatabaseOptions): Database {
  let pool = openPool(options, options.size);
  let channels: SQL | undefined;
  let closed = false;
  let full = false;

  /** After a timeout, replaces all connections: a dead connection looks like a slow one and would block its next user. */
  async function withTimeout<T>(work: (pool: SQL) => Promise<T>, timeoutMs = options.timeoutMs): Promise<T> {
    const used = pool;
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      if (used === pool && !closed) pool = openPool(options, options.size);
      void used.close({ timeout: 0 }).catch(() => {});
      reject(new ResponseTimeout());
    }, timeoutMs);
    try {
      return await Promise.race([work(used), promise]);
    } catch (error) {
      const known = stateError(error);
      full ||= asStorageFull(known) !== undefined;
      throw known;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * A connection that was lost while idle fails only now, so statements that start with SELECT are sent once more. That includes
   * calls of the schema's functions: a repeated call returns the same result, or the next lease renewal corrects it.
   */
  async function retried<T>(text: string, work: (pool: SQL) => Promise<T>, attempts = TRIES): Promise<T> {
    try {
      return await withTimeout(work);
    } catch (error) {
      // A deadlock rolls back the whole statement, so it can be repeated.
      if (attempts > 1 && codeOf(error) === DEADLOCK) return retried(text, work, attempts - 1);
      if (closed || !text.startsWith('SELECT') || !isUnavailable(error) || isTimeout(error)) throw error;
      return withTimeout(work);
    }
  }

  async function attempt<T>(work: (statements: Statements) => Promise<T>, attempts: number): Promise<T> {
    try {
      return await withTimeout(
        (sql) =>
          sql.begin((tx) => {
            // Releases the locks of a process that is paused in the middle of a transaction.
            tx.unsafe(`SET LOCAL idle_in_transaction_session_timeout = ${options.timeoutMs}`).catch(() => {});
            return work(statementsOn((text, values) => tx.unsafe(text, values)));
          }) as Promise<T>,
        options.timeoutMs * 3,
      );
    } catch (error) {
      if (attempts > 1 && codeOf(error) === DEADLOCK) return attempt(work, attempts - 1);
      throw error;
    }
  }

  return {
    ...statementsOn((text, values) => retried(text, async (sql) => sql.unsafe(text, values))),
    transaction: (work) => attempt(work, TRIES),
    async listen(channel, listener) {
      channels ??= openPool(options, 1);
      await channels.listen(channel, listener);
    },
    notify(channel, payload) {
      if (closed) return;
      channels ??= openPool(options, 1);
      channels.notify(channel, payload).catch(() => {});
    },
    isFull: () => full,
    clearFull() {
      full = false;
    },
    async close() {
      closed = true;
      await Promise.all([pool, channels].map((one) => one?.close({ timeout: 1 }).catch(() => {})));
    },
  };
}

function openPool({ url }: DatabaseOptions, max: number): SQL {
  return new SQL({
    url,
    max,
    connectionTimeout: CONNECT_SECONDS,
    idleTimeout: 0,
    // Connection poolers reject other startup parameters.
    connection: { application_name: 'skein' },
  });
}

type Rows = Record<string, unknown>[] & { count?: number; columns?: { name: string; type: number }[] };

function statementsOn(send: (text: string, values: Value[]) => PromiseLike<Rows>): Statements {
  const all = async <Row>(text: string, ...values: Value[]) =>
    withNumbers(await send(text, values.map(storable))) as Row[];
  return {
    all,
    get: async <Row>(text: string, ...values: Value[]) => (await all<Row>(text, ...values))[0],
    run: async (text, ...values) => (await send(text, values.map(storable))).count ?? 0,
  };
}

/** Bun returns bigint columns as text. The values here are times in milliseconds, counters and sizes, which fit a number. */
function withNumbers(rows: Rows): Rows {
  const long = rows.columns?.filter(({ type }) => type === INT8) ?? [];
  if (long.length > 0)
    for (const row of rows)
      for (const { name } of long) if (typeof row[name] === 'string') row[name] = Number(row[name]);
  return rows;
}

/** PostgreSQL's text type cannot store NUL. */
function storable(value: Value): Value {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}

// Escapes of NUL and of lone surrogates, as JSON.stringify writes them.
const NOT_IN_TEXT = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

/** JSON that PostgreSQL can parse (`$1::text::jsonb`). Characters that its text type cannot store become U+FFFD. */
export function document(value: unknown): string {
  return cleaned(JSON.stringify(value));
}

/** Like `document`, for JSON text. */
export function cleaned(json: string): string {
  return json.includes('\\u') ? json.replace(NOT_IN_TEXT, '$1\\ufffd') : json;
}

function codeOf(error: unknown): string | undefined {
  return (error as { errno?: string } | undefined)?.errno;
}
