/** Webhooks and crons that a killed server had taken. */
import { expect, test } from 'bun:test';
import { openDatabase } from '../../../state/postgres/database/database.ts';
import { newCron } from '../../contracts/crons.ts';
import { openedPostgres } from '../../support/opened-postgres.ts';
import { POSTGRES } from '../../support/postgres-database.ts';
import { insertDelivery, insertRun, insertThread } from './stored-rows.ts';

const HOLD = { holdMs: 1_000_000, limit: 10 };

test.skipIf(POSTGRES === undefined)(
  'are due again when its lease ends, and the other servers are notified',
  async () => {
    const { state: killed, another, url, close } = await openedPostgres();
    const database = openDatabase({ url, size: 1, timeoutMs: 5_000 });
    const thread = await insertThread(database, 't');
    await insertRun(database, { runId: 'r', thread, status: 'failed', finishedAt: 100 });
    await insertDelivery(database, 'r', 100);
    await killed.crons.create(newCron('c'));
    expect(await killed.webhooks.take(200, HOLD)).toHaveLength(1);
    expect(await killed.crons.take(200, HOLD)).toHaveLength(1);
    const other = await another();
    expect(await other.webhooks.take(200, HOLD)).toEqual([]);
    const notified = Promise.all([
      new Promise<void>((resolve) => other.webhooks.watch(resolve)),
      new Promise<void>((resolve) => other.crons.watch(resolve)),
    ]);
    await database.run(`UPDATE skein.servers SET alive_until = '-infinity'
      WHERE id = (SELECT held_by FROM skein.crons)`);
    await notified;
    expect(await other.webhooks.take(200, HOLD)).toHaveLength(1);
    expect(await other.crons.take(200, HOLD)).toHaveLength(1);
    await database.close();
    await close();
  },
);
