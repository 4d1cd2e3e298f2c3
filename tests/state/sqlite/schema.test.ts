/** A file of an earlier version is brought up to date and keeps what it has. */
import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../../state/sqlite/open.ts';
import { MIGRATIONS } from '../../../state/sqlite/schema.ts';
import { storedTurn } from '../../contracts/turn.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-schema-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a file of version 1 gets owners of runs and the ends of threads, and goes on', async () => {
  const path = join(folder, 'one.db');
  const old = new Database(path, { create: true });
  old.run(MIGRATIONS[0] ?? '');
  old.run('PRAGMA user_version = 1');
  for (const [key, owner] of [
    [1, 'ann'],
    [2, 'bob'],
  ] as const) {
    old
      .query(
        `INSERT INTO threads (key, owner, thread_id, title, workflow, created_at, updated_at)
         VALUES (?, ?, 't', 'T', 'w', 1, 2)`,
      )
      .run(key, owner);
  }
  const insert = old.query(
    `INSERT INTO runs (run_id, thread, message_id, workflow, status, request, created_at, started_at, finished_at)
     VALUES (?, ?, 'm', 'w', ?, '{"userPrompt":"q"}', ?, 1, ?)`,
  );
  insert.run('r1', 1, 'succeeded', 1, 2);
  insert.run('r2', 1, 'failed', 3, 4);
  insert.run('r3', 2, 'failed', 1, 2);
  insert.run('r4', 2, 'succeeded', 3, 4);
  old.close();

  const state = openSqlite({ path, checkpointsPerThread: 20 });
  expect((await state.archive.threads.find('ann', 't'))?.status).toBe('error');
  expect((await state.archive.threads.find('bob', 't'))?.status).toBe('idle');
  const { items } = await state.archive.runs({ owner: 'ann' }, { limit: 5 });
  expect(items.map(({ runId }) => runId)).toEqual(['r2', 'r1']);
  await storedTurn(state);
  expect((await state.archive.threads.find('ann', 't'))?.status).toBe('idle');
  await state.close();
  const file = new Database(path, { readonly: true });
  expect(file.query('PRAGMA user_version').get()).toEqual({ user_version: MIGRATIONS.length });
  expect(file.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  file.close();
});
