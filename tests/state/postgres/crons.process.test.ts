/** Crons of several servers, and threads that are deleted with their runs. */
import { describe, expect, test } from 'bun:test';
import { crons } from '../../../state/postgres/crons/crons.ts';
import { newCron } from '../../contracts/crons.ts';
import { postgresServers } from '../../support/open-drivers.ts';
import { POSTGRES } from '../../support/postgres-database.ts';
import { insertDelivery, insertRun, insertThread } from './stored-rows.ts';

const HOLD = { holdMs: 30, limit: 10 };
const ids = (found: { cronId: string }[]) => found.map(({ cronId }) => cronId);

describe.skipIf(POSTGRES === undefined)('crons of several servers', () => {
  test('each time of a cron is taken by one server', async () => {
    const { open, drop } = await postgresServers();
    const servers = [open(), open(), open()].map((one) => crons(one, () => 'server'));
    const [first] = servers;
    const all = Array.from({ length: 30 }, (_, index) => `cron ${index}`);
    for (const cronId of all) await first?.create(newCron(cronId));
    const ids: string[] = [];
    while (ids.length < all.length) {
      const taken = await Promise.all(servers.map((one) => one.take(50, { ...HOLD, limit: 5 })));
      ids.push(...taken.flat().map(({ cronId }) => cronId));
    }
    expect(ids.toSorted()).toEqual(all.toSorted());
    await drop();
  });

  test('a taken cron that did not advance is due again later and advances once', async () => {
    const { open, drop } = await postgresServers();
    const [one, other] = [crons(open(), () => 'server'), crons(open(), () => 'server')];
    const made = await one.create(newCron('a'));
    expect(ids(await one.take(50, HOLD))).toEqual(['a']);
    expect(await other.take(79, HOLD)).toEqual([]);
    expect(await other.nextAt()).toBe(80);
    expect(ids(await other.take(80, HOLD))).toEqual(['a']);
    expect(await other.advance(made, { at: 50, nextAt: 90 })).toBe(true);
    expect(await one.advance(made, { at: 50, nextAt: 95 })).toBe(false);
    expect(await one.nextAt()).toBe(90);
    expect(ids(await one.take(90, HOLD))).toEqual(['a']);
    await other.change('ann', 'a', { ...made, nextAt: 60 }, 2);
    expect(ids(await one.take(90, HOLD))).toEqual(['a']);
    await drop();
  });

  test('only one of two concurrent advances succeeds', async () => {
    const { open, drop } = await postgresServers();
    const servers = [open(), open()].map((one) => crons(one, () => 'server'));
    const made = await servers[0]?.create(newCron('a'));
    for (let at = 50; made && at < 70; at++) {
      const moved = await Promise.all(servers.map((one) => one.advance(made, { at, nextAt: at + 1 })));
      expect(moved.toSorted()).toEqual([false, true]);
    }
    await drop();
  });

  test('a change on one server notifies the others', async () => {
    const { open, drop } = await postgresServers();
    const [one, other] = [crons(open(), () => 'server'), crons(open(), () => 'server')];
    let notifications = 0;
    const unwatch = other.watch(() => notifications++);
    for (
      const end = performance.now() + 5_000;
      notifications === 0 && performance.now() < end;
      await Bun.sleep(10)
    )
      await one.create(newCron(Bun.randomUUIDv7()));
    expect(notifications).toBeGreaterThan(0);
    unwatch();
    await drop();
  });
});

test.skipIf(POSTGRES === undefined)(
  'a cron is deleted with its thread, and hidden as soon as the thread is',
  async () => {
    const { open, drop } = await postgresServers();
    const database = open();
    const store = crons(database, () => 'server');
    const key = await insertThread(database, 't');
    const thread = { key: String(key).padStart(12, '0'), threadId: 't' };
    expect(await store.create({ ...newCron('a'), thread })).toMatchObject({ threadId: 't' });
    await database.run(`UPDATE skein.threads SET owner = '' WHERE key = $1`, key);
    expect(await store.find('ann', 'a')).toBeUndefined();
    expect(await store.nextAt()).toBeNull();
    expect(await store.take(1_000, HOLD)).toEqual([]);
    await database.run('DELETE FROM skein.threads WHERE key = $1', key);
    expect(await database.all('SELECT * FROM skein.crons')).toEqual([]);
    await drop();
  },
);

test.skipIf(POSTGRES === undefined)(
  'a temporary thread is offered to one server at a time once its run has ended and its webhook is settled',
  async () => {
    const { open, drop } = await postgresServers();
    const database = open();
    const [one, other] = [crons(database, () => 'server'), crons(open(), () => 'server')];
    const cron = await one.create(newCron('a'));
    const thread = await insertThread(database, 't');
    await insertRun(database, { runId: 'r', thread, status: 'running' });
    const runs = [
      { runId: 'r', threadId: 't', isTemporary: true },
      { runId: 'kept', threadId: 'kept', isTemporary: false },
    ];
    for (const run of runs) await one.advance(cron, { at: 50, nextAt: 60, run });
    expect(await one.claimExpiredThreads(0, HOLD)).toEqual([]);
    await database.run(`UPDATE skein.runs SET finished_at = 5 WHERE run_id = 'r'`);
    await insertDelivery(database, 'r', 1);
    expect(await one.claimExpiredThreads(0, HOLD)).toEqual([]);
    await database.run(`UPDATE skein.webhook_deliveries SET state = 'delivered'`);
    expect(await one.claimExpiredThreads(0, HOLD)).toEqual([{ owner: 'ann', threadId: 't', runId: 'r' }]);
    expect(await other.claimExpiredThreads(29, HOLD)).toEqual([]);
    expect(await other.claimExpiredThreads(30, HOLD)).toHaveLength(1);
    await other.removeExpiredThread('r');
    expect(await other.claimExpiredThreads(1_000, HOLD)).toEqual([]);
    await drop();
  },
);
