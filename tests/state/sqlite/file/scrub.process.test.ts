/** Scrubs of a file that a separate process rebuilds. */
import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AUTOCHECKPOINT_PAGES } from '../../../../state/sqlite/file/checkpoint-size.ts';
import { groupCommit } from '../../../../state/sqlite/file/group-commit.ts';
import { scrubbing } from '../../../../state/sqlite/file/scrub.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-scrub-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file of 12 MB with rows. */
function filled(name: string) {
  const path = join(folder, name);
  const db = new Database(path, { create: true });
  db.run('PRAGMA journal_mode = WAL');
  db.run('CREATE TABLE texts (text TEXT)');
  db.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
    INSERT INTO texts SELECT printf('%.4000c', 'x') FROM n`);
  db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  return {
    path,
    db,
    ...scrubbing(
      db,
      groupCommit(db, async () => {}),
    ),
  };
}

test('concurrent scrubs share one rebuild, and commits copy the log back again afterwards', async () => {
  const { path, db, scrub, isPending } = filled('shared.db');
  const scrubs = [scrub(), scrub()];
  expect(scrubs[1]).toBe(scrubs[0] as Promise<void>);
  db.run('DELETE FROM texts WHERE rowid > 10');
  await Promise.all(scrubs);
  expect(isPending()).toBe(false);
  expect(statSync(`${path}-wal`).size).toBe(0);
  expect(statSync(path).size).toBeLessThan(200_000);
  expect(db.query('PRAGMA wal_autocheckpoint').get()).toEqual({ wal_autocheckpoint: AUTOCHECKPOINT_PAGES });
  db.close();
});

test('the next scrub of a large file starts after the earlier one and a pause of the same length', async () => {
  const { db, scrub } = filled('pause.db');
  const began = performance.now();
  await scrub();
  const first = performance.now() - began;
  // The file is still large, but rebuilding it now takes no time: only the pause remains.
  db.run('DELETE FROM texts WHERE rowid > 10');
  await scrub();
  expect(performance.now() - began).toBeGreaterThan(1.9 * first);
  db.close();
});

test('a scrub gives up while another process reads the log, and the next one succeeds', async () => {
  const { path, db, scrub, isPending } = filled('read.db');
  const reader = new Database(path, { readonly: true });
  reader.run('BEGIN');
  expect(reader.query('SELECT count(*) AS rows FROM texts').get()).toEqual({ rows: 3_000 });
  await scrub();
  expect(isPending()).toBe(true);
  reader.run('COMMIT');
  reader.close();
  await scrub();
  expect(isPending()).toBe(false);
  expect(statSync(`${path}-wal`).size).toBe(0);
  db.close();
}, 20_000);
