/** Reads or writes a whole state in a SQLite file. */
import { Database, type SQLQueryBindings } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { configurationError } from '../errors.ts';
import { identityOf, isForeign } from '../sqlite/file/identity.ts';
import { MIGRATIONS, migrate, newerSchema } from '../sqlite/file/schema.ts';
import { refuseForeign, takeLock } from '../sqlite/open.ts';
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
import { TABLES, type Table } from './tables.ts';

/** `name`: the name of the file in errors, such as the flag with its path. */
export function sqliteStore(path: string, name: string): Store {
  return {
    /** Works while a service uses the file: a WAL reader sees one snapshot. */
    async read(work) {
      if (!existsSync(path)) throw configurationError(name, 'file does not exist');
      const db = opened(name, () => new Database(path, { readonly: true, strict: true }));
      try {
        opened(name, () => {
          db.run('PRAGMA busy_timeout = 5000');
          db.run('BEGIN');
          checkVersion(db, name);
        });
        return await work(reading(db));
      } finally {
        db.close();
      }
    },
    async write(work) {
      refuseForeign(path, name);
      const lock = takeLock(path, name);
      try {
        const db = opened(name, () => new Database(path, { create: true, strict: true }));
        try {
          opened(name, () => prepare(db));
          db.run('BEGIN IMMEDIATE');
          const done = await work({ ...reading(db), ...changes(db) });
          db.run('COMMIT');
          return done;
        } finally {
          // Rolls back if the transaction was not committed.
          db.close();
        }
      } finally {
        lock.close();
      }
    },
    async close() {},
  };
}

function prepare(db: Database): void {
  db.run('PRAGMA journal_mode = WAL');
  db.run('PRAGMA synchronous = FULL');
  db.run('PRAGMA secure_delete = ON');
  migrate(db);
}

function checkVersion(db: Database, name: string): void {
  const identity = identityOf(db);
  const { version } = identity;
  if (version === 0 || isForeign(identity)) throw configurationError(name, 'the file contains no state');
  if (version === MIGRATIONS.length) return;
  if (version > MIGRATIONS.length) throw configurationError(name, newerSchema(version));
  throw configurationError(
    name,
    `the file has schema version ${version}, but this version of Skein needs ${MIGRATIONS.length}. Start the service with this file once to migrate it`,
  );
}

function opened<T>(name: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'SQLiteError') throw error;
    throw configurationError(name, `the file cannot be used: ${error.message}`);
  }
}

function reading(db: Database): Reading {
  return {
    driver: 'sqlite',
    table: (name) => name,
    async *select({ columns, from, order }: Selection) {
      let slice: Row[] = [];
      let characters = 0;
      for (const row of db.prepare<Row, []>(`SELECT ${columns} FROM ${from} ORDER BY ${order}`).iterate()) {
        slice.push(row);
        characters += charactersOf(row);
        if (slice.length < SLICE.rows && characters < SLICE.characters) continue;
        yield slice;
        slice = [];
        characters = 0;
      }
      if (slice.length > 0) yield slice;
    },
    async highest({ name, numbered }: Table) {
      if (!numbered) return 0;
      const column = name === 'runs' ? 'rowid' : numbered;
      const row = db
        .query<{ highest: number }, [string]>(
          `SELECT max(coalesce((SELECT max(${column}) FROM ${name}), 0),
             coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?), 0)) AS highest`,
        )
        .get(name);
      return row?.highest ?? 0;
    },
  };
}

const MARKS = 'copies';
// The only table with AUTOINCREMENT, which never assigns a number again.
const AUTOINCREMENT_TABLE = 'items';

function changes(db: Database): Omit<Writing, keyof Reading> {
  return {
    async mark() {
      db.run(`CREATE TABLE IF NOT EXISTS ${MARKS} (mark TEXT NOT NULL)`);
      return db.query<{ mark: string }, []>(`SELECT mark FROM ${MARKS}`).get()?.mark;
    },
    async clear() {
      for (const { name } of TABLES.toReversed()) db.run(`DELETE FROM ${name}`);
    },
    async insert(table, rows) {
      const columns = Object.keys(writtenColumns('sqlite', table));
      const places = columns.map(() => '?').join(', ');
      const sql = db.query(`INSERT INTO ${table.name} (${columns.join(', ')}) VALUES (${places})`);
      for (const row of rows) {
        const stored = toStored('sqlite', table, row);
        sql.run(...columns.map((column): SQLQueryBindings => stored[column] ?? null));
      }
    },
    async raise({ name }, highest) {
      if (name !== AUTOINCREMENT_TABLE) return;
      db.query('DELETE FROM sqlite_sequence WHERE name = ?').run(name);
      if (highest > 0) db.query('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(name, highest);
    },
    async leaveMark(mark) {
      db.run(`DELETE FROM ${MARKS}`);
      db.query(`INSERT INTO ${MARKS} (mark) VALUES (?)`).run(mark);
    },
  };
}
