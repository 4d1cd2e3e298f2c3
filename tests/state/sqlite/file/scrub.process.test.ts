/** Scrubs of large files, whose unused parts are overwritten. */
import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { groupCommit } from '../../../../state/sqlite/file/group-commit.ts';
import { rawFile } from '../../../../state/sqlite/file/raw-file.ts';
import { scrubbing } from '../../../../state/sqlite/file/scrub.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-scrub-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file of about 12 MB. Its rows were inserted empty and then filled, so SQLite has moved many of them between pages. */
function filled(name: string) {
  const path = join(folder, name);
  const db = new Database(path, { create: true });
  db.run('PRAGMA journal_mode = WAL');
  db.run('PRAGMA secure_delete = ON');
  // Keeps all pages in memory.
  db.run('PRAGMA cache_size = -64000');
  db.run('CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT, number INTEGER)');
  db.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
    INSERT INTO texts SELECT i, '', 0 FROM n`);
  db.run(
    `UPDATE texts SET text = printf('%s %d %.*c', iif(id % 3 = 0, 'canary', 'bystander'), id, id * 37 % 900, 'x')`,
  );
  db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  const file = rawFile(path);
  return {
    path,
    db,
    ...scrubbing(
      db,
      groupCommit(db, async () => {}),
      file,
    ),
    close() {
      db.close();
      file.close();
    },
  };
}

const hasCanary = (path: string) => [path, `${path}-wal`].some((one) => readFileSync(one).includes('canary'));
const rowsOf = (db: Database) => db.query('SELECT * FROM texts ORDER BY id').all();

test('a scrub removes the remains of deleted rows, which do not come back when their pages change', async () => {
  const { path, db, scrub, isPending, close } = filled('remains.db');
  db.run(`DELETE FROM texts WHERE text LIKE 'canary%'`);
  db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  expect(statSync(path).size).toBeGreaterThan(8 * 1024 * 1024);
  // `secure_delete` alone leaves copies.
  expect(hasCanary(path)).toBe(true);
  const before = rowsOf(db);
  await scrub();
  expect(isPending()).toBe(false);
  expect(hasCanary(path)).toBe(false);
  expect(statSync(`${path}-wal`).size).toBe(0);
  expect(rowsOf(db)).toEqual(before);
  db.run('UPDATE texts SET number = 1');
  expect(hasCanary(path)).toBe(false);
  db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  expect(hasCanary(path)).toBe(false);
  expect(db.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  close();
}, 20_000);

test('writes continue during a scrub, and concurrent scrubs share their work', async () => {
  const { path, db, scrub, isPending, close } = filled('shared.db');
  const commit = groupCommit(db, async () => {});
  db.run(`DELETE FROM texts WHERE text LIKE 'canary%'`);
  const scrubs = [scrub(), scrub()];
  expect(scrubs[1]).toBe(scrubs[0] as Promise<void>);
  let isScrubbed = false;
  void Promise.all(scrubs).then(() => {
    isScrubbed = true;
  });
  const grow = db.query(`UPDATE texts SET text = text || 'yyyyyyyyyy' WHERE id = ?`);
  let writes = 0;
  for (; !isScrubbed; writes++) {
    await commit.commit('a', () => void grow.run(1 + ((writes * 7_919) % 20_000)));
    await Bun.sleep(0);
  }
  expect(writes).toBeGreaterThan(10);
  expect(isPending()).toBe(false);
  expect(hasCanary(path)).toBe(false);
  expect(db.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  const { added } = db
    .query(`SELECT sum(length(text) - length(rtrim(text, 'y'))) AS added FROM texts`)
    .get() as {
    added: number;
  };
  expect(added % 10).toBe(0);
  expect(added).toBeGreaterThan(0);
  close();
}, 20_000);

test('the next scrub of a large file starts after the earlier one and a pause of the same length', async () => {
  const { scrub, close } = filled('pause.db');
  const began = performance.now();
  await scrub();
  const first = performance.now() - began;
  await scrub();
  expect(performance.now() - began).toBeGreaterThan(1.9 * first);
  close();
}, 20_000);

test('a scrub gives up while another process reads the log, and the next one succeeds', async () => {
  const { path, db, scrub, isPending, close } = filled('read.db');
  // The reader needs the log.
  db.run('PRAGMA wal_autocheckpoint = 0');
  db.run(`DELETE FROM texts WHERE text LIKE 'canary%'`);
  const reader = new Database(path, { readonly: true });
  reader.run('BEGIN');
  expect(reader.query('SELECT count(*) AS rows FROM texts').get()).toEqual({ rows: 13_334 });
  await scrub();
  expect(isPending()).toBe(true);
  reader.run('COMMIT');
  reader.close();
  await scrub();
  expect(isPending()).toBe(false);
  expect(hasCanary(path)).toBe(false);
  close();
}, 20_000);
