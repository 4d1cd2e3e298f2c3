/** The owner of a SQLite file: own files are adopted, other files are rejected without a change. */
import { Database } from 'bun:sqlite';
import { afterAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APPLICATION_ID, MIGRATIONS } from '../../../../state/sqlite/file/schema.ts';
import { openSqlite } from '../../../../state/sqlite/open.ts';
import { openStore } from '../../../../state/transfer/open-store.ts';
import { storedTurn } from '../../../contracts/turn.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-identity-'));
afterAll(() => rmSync(folder, { recursive: true }));

const at = (name: string) => join(folder, name);
const open = (name: string) => openSqlite({ path: at(name), checkpointsPerThread: 20 });

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function headerOf(name: string) {
  const db = new Database(at(name), { readonly: true });
  try {
    return {
      ...(db.query('PRAGMA application_id').get() as object),
      ...(db.query('PRAGMA user_version').get() as object),
    };
  } finally {
    db.close();
  }
}

const OURS = { application_id: APPLICATION_ID, user_version: MIGRATIONS.length };

test('a new file has the id and the schema version in its header', async () => {
  await open('new.db').close();
  expect(headerOf('new.db')).toEqual(OURS);
});

test('adopts a file without the application id with its data, even if all of it is in the WAL', async () => {
  const first = open('old.db');
  await storedTurn(first, { threadId: 'kept' });
  const db = new Database(at('old.db'));
  db.run('PRAGMA application_id = 0');
  // As after a kill: the database and its WAL, without a WAL checkpoint.
  for (const ending of ['', '-wal'])
    await Bun.write(at(`killed.db${ending}`), Bun.file(at(`old.db${ending}`)));
  db.close();
  await first.close();
  for (const name of ['old.db', 'killed.db']) {
    const state = open(name);
    expect((await state.archive.threads.find('ann', 'kept'))?.messageCount).toBe(2);
    await state.close();
    expect(headerOf(name)).toEqual(OURS);
  }
});

test('adopts a file of the first version and reports both versions', async () => {
  const db = new Database(at('first.db'), { create: true });
  db.run(MIGRATIONS[0] ?? '');
  db.run('PRAGMA user_version = 1');
  db.close();
  const reported: unknown[] = [];
  const state = openSqlite({
    path: at('first.db'),
    checkpointsPerThread: 20,
    migrated: (versions) => reported.push(versions),
  });
  await state.close();
  await openSqlite({
    path: at('first.db'),
    checkpointsPerThread: 20,
    migrated: (v) => reported.push(v),
  }).close();
  expect(reported).toEqual([{ from: 1, to: MIGRATIONS.length }]);
});

/** Creates a file that the service must not use. */
const FOREIGN: Record<string, (db: Database) => void> = {
  'tables of another program': (db) => db.run('CREATE TABLE notes (text TEXT)'),
  'tables of another program, with a version of its own': (db) => {
    db.run('CREATE TABLE threads (id TEXT)');
    db.run('PRAGMA user_version = 3');
  },
  "another program's id": (db) => db.run('PRAGMA application_id = 42'),
  'tables that are in its log': (db) => {
    db.run('PRAGMA journal_mode = WAL');
    db.run('CREATE TABLE notes (text TEXT)');
  },
};
const NEWER = (db: Database) => {
  db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
  db.run('CREATE TABLE threads (id TEXT)');
  db.run(`PRAGMA user_version = ${MIGRATIONS.length + 1}`);
};

describe.each([...Object.entries(FOREIGN), ['our id and a newer schema', NEWER] as const])(
  'a file with %s',
  (what, make) => {
    const name = `${what.replaceAll(/\W+/g, '-')}.db`;

    test('is rejected without a change', async () => {
      const db = new Database(at(name), { create: true });
      make(db);
      const before = hashOf(at(name));
      const log = existsSync(at(`${name}-wal`)) ? hashOf(at(`${name}-wal`)) : undefined;
      const reason = make === NEWER ? 'Upgrade Skein' : 'a database of another program';
      expect(() => open(name)).toThrow(reason);
      const store = openStore(at(name), '--to');
      await expect(store.write(async () => {})).rejects.toThrow(reason);
      await expect(store.read(async () => {})).rejects.toThrow(make === NEWER ? reason : 'contains no state');
      expect(hashOf(at(name))).toBe(before);
      if (log !== undefined) expect(hashOf(at(`${name}-wal`))).toBe(log);
      expect(readdirSync(folder).filter((file) => file.startsWith(`${name}-lock`))).toEqual([]);
      db.close();
    });
  },
);
