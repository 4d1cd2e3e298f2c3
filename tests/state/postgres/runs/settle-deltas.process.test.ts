/** The task writes of an ended turn: who deletes them if another turn has started meanwhile. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type Database, openDatabase } from '../../../../state/postgres/database/database.ts';
import { migrate } from '../../../../state/postgres/database/migrate.ts';
import { settleDeltas } from '../../../../state/postgres/runs/settle-deltas.ts';
import { freshDatabase, POSTGRES, type TestDatabase } from '../../../support/postgres-database.ts';
import { insertRun, insertThread } from '../stored-rows.ts';

let fresh: TestDatabase;
let database: Database;

describe.skipIf(POSTGRES === undefined)('settling the writes to delta channels', () => {
  beforeEach(async () => {
    fresh = await freshDatabase();
    database = openDatabase({ url: fresh.url, size: 2, timeoutMs: 10_000 });
    await migrate(database);
  });
  afterEach(async () => {
    await database.close();
    await fresh.drop();
  });

  test('leaves the writes while a turn runs, and deletes them after its end', async () => {
    const thread = await insertThread(database, 't');
    await database.run(
      `INSERT INTO skein.checkpoint_writes (thread, ns, id, task, writes, path) VALUES ($1, '', '1', 'a', '[]', '')`,
      String(thread),
    );
    await insertRun(database, { runId: 'r', thread, status: 'running' });
    await database.run(`UPDATE skein.runs SET lease = 1 WHERE run_id = 'r'`);
    const remaining = async () => {
      await settleDeltas(database, { threadKey: String(thread), prunes: true, keep: 1 });
      return (await database.all('SELECT 1 FROM skein.checkpoint_writes')).length;
    };
    expect(await remaining()).toBe(1);
    await database.run(`UPDATE skein.runs SET status = 'failed', finished_at = 1 WHERE run_id = 'r'`);
    expect(await remaining()).toBe(0);
  });
});
