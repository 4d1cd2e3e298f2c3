/** Deletion of the history of a thread with many checkpoints. */
import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../../../state/sqlite/open.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-old-history-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CHECKPOINTS = 2_000;
const KEY = '000000000001';

test('deletes checkpoints, values and elements of lists in slices, and keeps those of the head', async () => {
  const path = join(folder, 'state.db');
  const open = () => openSqlite({ path, checkpointsPerThread: 20 });
  await open().close();
  const db = new Database(path);
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${CHECKPOINTS})`;
  db.run(`INSERT INTO threads (key, owner, thread_id, workflow, head, created_at, updated_at)
    VALUES (1, 'ann', 't', 'w', printf('%06d', ${CHECKPOINTS}), 1, 1)`);
  db.run(`${numbers} INSERT INTO checkpoints (thread, ns, id, versions, body, metadata)
    SELECT '${KEY}', '', printf('%06d', i), json_object('a', i, 'list', i), '{}', '{}' FROM n`);
  db.run(`${numbers} INSERT INTO checkpoint_values SELECT '${KEY}', '', 'a', i, '1', NULL FROM n`);
  db.run(`${numbers} INSERT INTO checkpoint_values
    SELECT '${KEY}', '', 'list', i, '[]', json_array(json_array(i, i)) FROM n`);
  db.run(`${numbers} INSERT INTO checkpoint_elements SELECT '${KEY}', 'list', i, '1' FROM n`);
  const state = open();
  const before = (await state.check()).commits ?? 0;

  expect(await state.archive.removal.history(KEY)).toBe(true);

  const transactions = ((await state.check()).commits ?? 0) - before;
  // 400 values or elements, and 500 checkpoints, at once.
  expect(transactions).toBeGreaterThanOrEqual((3 * CHECKPOINTS) / 400 + CHECKPOINTS / 500);
  const count = (table: string) => db.query(`SELECT count(*) AS n FROM ${table}`).get();
  expect(count('checkpoints')).toEqual({ n: 1 });
  expect(count('checkpoint_values')).toEqual({ n: 2 });
  expect(db.query('SELECT seq FROM checkpoint_elements').all()).toEqual([{ seq: CHECKPOINTS }]);
  db.close();
  await state.close();
});
