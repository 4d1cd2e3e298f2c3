import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATIONS } from '../../../state/sqlite/file/schema.ts';
import { openSqlite } from '../../../state/sqlite/open.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-open-'));
afterAll(() => rmSync(folder, { recursive: true }));

const options = (name: string) => ({ path: join(folder, name), checkpointsPerThread: 20 });

test('creates the file and its folder, in WAL mode with a schema version', async () => {
  const state = openSqlite(options('deep/er/state.db'));
  expect((await state.check()).bytes).toBeGreaterThan(0);
  await state.close();
  const db = new Database(join(folder, 'deep/er/state.db'), { readonly: true });
  expect(db.query('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  expect(db.query('PRAGMA user_version').get()).toEqual({ user_version: MIGRATIONS.length });
  db.close();
});

test('rejects a second state on the same file with a reason until the first is closed', async () => {
  const first = openSqlite(options('twice.db'));
  expect(() => openSqlite(options('twice.db'))).toThrow(
    "Validation error in field 'chat_history.database_path': another process is using this state file",
  );
  await first.close();
  await openSqlite(options('twice.db')).close();
});

test('rejects a file that another process has open', async () => {
  const first = openSqlite(options('shared.db'));
  const module = join(import.meta.dir, '../../../state/sqlite/open.ts');
  const script = `const { openSqlite } = await import(${JSON.stringify(module)});
    try { openSqlite(${JSON.stringify(options('shared.db'))}) } catch (error) { console.log(error.code, error.message) }`;
  const child = Bun.spawnSync([process.execPath, '-e', script]);
  expect(child.stdout.toString()).toStartWith('CONFIGURATION_ERROR Validation error in field');
  await first.close();
});

test('the state can be read from outside while it is open', async () => {
  const state = openSqlite(options('read.db'));
  const db = new Database(join(folder, 'read.db'), { readonly: true });
  expect(db.query('SELECT count(*) AS n FROM runs').get()).toEqual({ n: 0 });
  db.close();
  await state.close();
});

test('rejects a file that is not a database or from a newer version, without a change', async () => {
  const text = 'this is not a database, but somebody may need it'.repeat(30);
  writeFileSync(join(folder, 'text.db'), text);
  expect(() => openSqlite(options('text.db'))).toThrow("in field 'chat_history.database_path'");
  expect(await Bun.file(join(folder, 'text.db')).text()).toBe(text);
  const newer = new Database(join(folder, 'newer.db'));
  newer.run('PRAGMA user_version = 99');
  newer.close();
  expect(() => openSqlite(options('newer.db'))).toThrow('schema version 99');
});

test('rejects an invalid path by its field', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(() => openSqlite(options('file/state.db'))).toThrow("in field 'chat_history.database_path'");
  expect(existsSync(join(folder, 'file/state.db'))).toBe(false);
});
