/** Reads or writes a whole state on PostgreSQL. */
import { configurationError, SkeinError } from '../errors.ts';
import { type Database, openDatabase, type Statements } from '../postgres/database/database.ts';
import { LOCKS } from '../postgres/database/locks.ts';
import { migrate } from '../postgres/database/migrate.ts';
import { MIGRATIONS } from '../postgres/database/schema.ts';
import { toStored, writtenColumns } from './shapes.ts';
import {
  charactersOf,
  type Reading,
  type Row,
  type Selection,
  SLICE,
  type Store,
  type Writing,
} from './store.ts';
import { type Kind, TABLES, type Table } from './tables.ts';

// The time of a copy is not limited.
const TIMEOUT_MS = 7 * 24 * 60 * 60 * 1000;
const LOCK_SECONDS = 10;

/** `name`: the name of the database in errors, such as the flag with its URL. */
export function postgresStore(url: string, name: string): Store {
  const database = openForBulkRead(url);
  return {
    read: (work) =>
      snapshot(database, name, async (tx) => {
        await checkVersion(tx, name);
        return work(reading(tx));
      }),
    async write(work) {
      await usable(name, () => migrate(database));
      return usable(name, () =>
        exclusively(database, name, (tx) => work({ ...reading(tx), ...changes(tx) })),
      );
    },
    close: () => database.close(),
  };
}

export function openForBulkRead(url: string): Database {
  return openDatabase({ url, size: 1, timeoutMs: TIMEOUT_MS });
}

/** Runs `work` in a read-only transaction that sees one snapshot of the database. */
export function snapshot<T>(
  database: Database,
  name: string,
  work: (tx: Statements) => Promise<T>,
): Promise<T> {
  return usable(name, () =>
    database.transaction(async (tx) => {
      await tx.run('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      // All rows are read, so plan cursors for total time instead of for the first rows.
      await tx.run('SET LOCAL cursor_tuple_fraction = 1');
      return work(tx);
    }),
  );
}

/** Converts errors of the database and of the connection to CONFIGURATION_ERROR. */
async function usable<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const cause = error instanceof SkeinError && error.code === 'STATE_UNAVAILABLE' ? error.cause : error;
    if (!isOfDatabase(cause)) throw error;
    throw configurationError(name, `the database cannot be used: ${cause.message}`);
  }
}

/** False for errors of the other side of a copy, which must pass unchanged. */
function isOfDatabase(cause: unknown): cause is Error {
  return (
    cause instanceof Error && /^(?:ERR_POSTGRES|E[A-Z]+$)/.test(String((cause as { code?: unknown }).code))
  );
}

async function checkVersion(tx: Statements, name: string): Promise<void> {
  const [table] = await tx.all<{ name: string | null }>(
    `SELECT to_regclass('skein.migrations')::text AS name`,
  );
  if (!table?.name) throw configurationError(name, 'the database contains no state');
  const row = await tx.get<{ version: number | null }>(
    'SELECT max(version) AS version FROM skein.migrations',
  );
  if (row?.version === MIGRATIONS.length) return;
  const reason = `the database has schema version ${row?.version ?? 0}, but this version of Skein needs ${MIGRATIONS.length}`;
  throw configurationError(name, reason);
}

/** Throws CONFIGURATION_ERROR if a server uses the database. Servers that start during `work` wait for its end. */
function exclusively<T>(database: Database, name: string, work: (tx: Statements) => Promise<T>): Promise<T> {
  return database.transaction(async (tx) => {
    await tx.run(`SET LOCAL lock_timeout = '${LOCK_SECONDS}s'`);
    await tx.run(`SELECT pg_advisory_xact_lock(${LOCKS.migration})`);
    const row = await tx.get<{ count: number }>(
      'SELECT count(*) AS count FROM skein.servers WHERE alive_until > clock_timestamp()',
    );
    if (row && row.count > 0)
      throw configurationError(name, 'servers are running on this database. Stop them first');
    return work(tx);
  });
}

export function reading(tx: Statements): Reading {
  let cursors = 0;
  return {
    driver: 'postgres',
    table: (name) => `skein.${name}`,
    async *select({ columns, from, order }: Selection) {
      const cursor = `slice_${++cursors}`;
      await tx.run(`DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${columns} FROM ${from} ORDER BY ${order}`);
      let count = 16;
      for (;;) {
        const rows = await tx.all<Row>(`FETCH FORWARD ${count} FROM ${cursor}`);
        if (rows.length > 0) yield rows;
        if (rows.length < count) break;
        const characters = rows.reduce((sum, row) => sum + charactersOf(row), 0);
        count = Math.min(SLICE.rows, Math.max(1, Math.floor((count * SLICE.characters) / characters)));
      }
      await tx.run(`CLOSE ${cursor}`);
    },
    async highest({ name, numbered }: Table) {
      if (!numbered) return 0;
      const row = await tx.get<{ highest: number }>(
        `SELECT greatest((SELECT max(${numbered}) FROM skein.${name}),
           pg_sequence_last_value(pg_get_serial_sequence('skein.${name}', '${numbered}')::regclass), 0) AS highest`,
      );
      return row?.highest ?? 0;
    },
  };
}

const MARKS = 'skein.copies';
const TYPES: Record<Kind, string> = {
  text: 'text',
  json: 'text',
  number: 'bigint',
  real: 'double precision',
  bytes: 'text',
};

function changes(tx: Statements): Omit<Writing, keyof Reading> {
  return {
    async mark() {
      await tx.run(`CREATE TABLE IF NOT EXISTS ${MARKS} (mark text NOT NULL)`);
      return (await tx.get<{ mark: string }>(`SELECT mark FROM ${MARKS}`))?.mark;
    },
    async clear() {
      await tx.run(
        `TRUNCATE ${TABLES.map(({ name }) => `skein.${name}`).join(', ')}, skein.servers, skein.sweeps, skein.search_entries`,
      );
    },
    async insert(table, rows) {
      const columns = writtenColumns('postgres', table);
      const names = Object.keys(columns).map(quoted);
      const values = Object.entries(columns).map(([column, kind]) =>
        kind === 'bytes' ? `decode(${quoted(column)}, 'base64')` : quoted(column),
      );
      const record = Object.entries(columns).map(([column, kind]) => `${quoted(column)} ${TYPES[kind]}`);
      await tx.run(
        `INSERT INTO skein.${table.name} (${names.join(', ')}) OVERRIDING SYSTEM VALUE
         SELECT ${values.join(', ')} FROM json_to_recordset($1::text::json) AS r (${record.join(', ')})`,
        JSON.stringify(rows.map((row) => asJson(toStored('postgres', table, row)))),
      );
    },
    async raise({ name, numbered }, highest) {
      if (!numbered) return;
      const sequence = `pg_get_serial_sequence('skein.${name}', '${numbered}')`;
      await tx.run(`SELECT setval(${sequence}, greatest($1::bigint, 1), $1::bigint > 0)`, highest);
    },
    async leaveMark(mark) {
      await tx.run(`DELETE FROM ${MARKS}`);
      await tx.run(`INSERT INTO ${MARKS} (mark) VALUES ($1)`, mark);
      // Without statistics, the first requests would be slow until autovacuum has analyzed the tables.
      await tx.run(`ANALYZE ${TABLES.map(({ name }) => `skein.${name}`).join(', ')}`);
    },
  };
}

const quoted = (column: string) => `"${column}"`;

function asJson(row: Row): Record<string, string | number | null> {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
    ]),
  );
}
