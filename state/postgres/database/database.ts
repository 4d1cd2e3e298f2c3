/** The connections to PostgreSQL: statements, transactions and notifications, with a bound on how long an answer takes. */
import { SQL } from 'bun';
import { isUnavailable, storageFull } from '../../errors.ts';
import { isUnheard, stateError, Unheard } from './failures.ts';

export type Value = string | number | boolean | null | Uint8Array;

export interface Statements {
  /** The rows of a statement, which is tried again after a deadlock; its values are `$1`, `$2`, ... Numbers of 64 bits come as numbers. */
  all<Row>(text: string, ...values: Value[]): Promise<Row[]>;
  /** The first row, if there is one. */
  get<Row>(text: string, ...values: Value[]): Promise<Row | undefined>;
  /** How many rows the statement changed. */
  run(text: string, ...values: Value[]): Promise<number>;
}

export interface Database extends Statements {
  /**
   * Statements in one transaction, READ COMMITTED, which is rolled back if `work` throws. `work` is called again if
   * PostgreSQL ended the transaction because of a deadlock.
   */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  /** Resolves once `listener` gets what is sent to the channel; goes on after the connection was lost. */
  listen(channel: string, listener: (payload: string) => void): Promise<void>;
  /** Sends a hint. Never fails: whoever needs it looks for itself now and then. */
  notify(channel: string, payload: string): void;
  /** Whether a statement failed for want of room, and none was seen to have some since. */
  lacksRoom(): boolean;
  /** It has room again. */
  foundRoom(): void;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  /** How many connections, beside the one for notifications. */
  size: number;
  /** After which a statement without an answer is given up, in milliseconds. */
  answerMs: number;
}

const CONNECT_SECONDS = 5;
const DEADLOCK = '40P01';
const TRIES = 4;
const INT8 = 20;

/** Connects with the first statement. Errors are STATE_UNAVAILABLE where the database cannot be reached or is silent. */
export function openDatabase(options: DatabaseOptions): Database {
  let pool = openPool(options, options.size);
  let channels: SQL | undefined;
  let closed = false;
  let full = false;

  /** A connection that is silent cannot be told from a slow one, and hangs whoever gets it next: all are replaced. */
  async function heard<T>(work: (pool: SQL) => Promise<T>, mostMs = options.answerMs): Promise<T> {
    const asked = pool;
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      if (asked === pool && !closed) pool = openPool(options, options.size);
      void asked.close({ timeout: 0 }).catch(() => {});
      reject(new Unheard());
    }, mostMs);
    try {
      return await Promise.race([work(asked), promise]);
    } catch (error) {
      const known = stateError(error);
      full ||= storageFull(known) !== undefined;
      throw known;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * A connection that was lost while it was idle shows so only now. What only reads is asked once more, and so are our
   * functions: one that was executed before gives the same, or what it gave is found by the next renewal of the lease.
   */
  async function retried<T>(text: string, work: (pool: SQL) => Promise<T>, left = TRIES): Promise<T> {
    try {
      return await heard(work);
    } catch (error) {
      // Nothing of the statement was done.
      if (left > 1 && codeOf(error) === DEADLOCK) return retried(text, work, left - 1);
      if (closed || !text.startsWith('SELECT') || !isUnavailable(error) || isUnheard(error)) throw error;
      return heard(work);
    }
  }

  async function attempt<T>(work: (statements: Statements) => Promise<T>, left: number): Promise<T> {
    try {
      return await heard(
        (sql) =>
          sql.begin((tx) => {
            // A process that is stopped in the middle must not hold its locks for longer.
            tx.unsafe(`SET LOCAL idle_in_transaction_session_timeout = ${options.answerMs}`).catch(() => {});
            return work(statementsOn((text, values) => tx.unsafe(text, values)));
          }) as Promise<T>,
        options.answerMs * 3,
      );
    } catch (error) {
      if (left > 1 && codeOf(error) === DEADLOCK) return attempt(work, left - 1);
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
    lacksRoom: () => full,
    foundRoom() {
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
    // Poolers refuse other parameters at the start of a connection.
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

/** Bun gives integers of 64 bits as text. Ours are times in milliseconds, counters and sizes. */
function withNumbers(rows: Rows): Rows {
  const long = rows.columns?.filter(({ type }) => type === INT8) ?? [];
  if (long.length > 0)
    for (const row of rows)
      for (const { name } of long) if (typeof row[name] === 'string') row[name] = Number(row[name]);
  return rows;
}

/** PostgreSQL's text has no NUL. */
function storable(value: Value): Value {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}

// NUL, and halves of surrogate pairs, which JSON.stringify writes as escapes where they stand alone.
const NOT_IN_TEXT = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

/** A value as JSON that PostgreSQL can look into (`$1::text::jsonb`): what its text does not have becomes U+FFFD. */
export function document(value: unknown): string {
  return cleaned(JSON.stringify(value));
}

/** The same for what is JSON already. */
export function cleaned(json: string): string {
  return json.includes('\\u') ? json.replace(NOT_IN_TEXT, '$1\\ufffd') : json;
}

function codeOf(error: unknown): string | undefined {
  return (error as { errno?: string } | undefined)?.errno;
}
