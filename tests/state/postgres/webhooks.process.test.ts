/** The queue of webhooks with several servers: each delivery is taken by one server at a time. */
import { describe, expect, test } from 'bun:test';
import { webhooks } from '../../../state/postgres/webhooks/webhooks.ts';
import { postgresServers } from '../../support/open-drivers.ts';
import { POSTGRES } from '../../support/postgres-database.ts';
import { insertDelivery, insertRun, insertThread } from './stored-rows.ts';

const HOLD = { holdMs: 1_000, limit: 10 };

async function opened(count = 1) {
  const { open, drop } = await postgresServers();
  const database = open();
  const thread = await insertThread(database, 't');
  for (let index = 0; index < count; index++) {
    await insertRun(database, { runId: `r${index}`, thread, status: 'failed', finishedAt: 100 });
    await insertDelivery(database, `r${index}`, 100 + index);
  }
  return { database, thread, open, drop, queue: webhooks(database, () => 'server') };
}

describe.skipIf(POSTGRES === undefined)('webhooks', () => {
  test('contain the ended run without its agents and its result', async () => {
    const { queue, drop } = await opened();
    const [delivery] = await queue.take(100, HOLD);
    expect(delivery).toMatchObject({ deliveryId: 'of r0', url: 'https://hooks.example.org/a', head: null });
    expect(delivery?.attempts).toEqual([]);
    expect(delivery?.run).toMatchObject({
      ...{ runId: 'r0', threadId: 't', owner: 'ann', status: 'failed', finishedAt: 100, createdAt: 1 },
      ...{ threadKey: '000000000001', agents: [], result: null, error: null, notBefore: null },
      ...{ usage: { inputTokens: 0, outputTokens: 0 }, request: { userPrompt: 'NUL: \0' } },
    });
    await drop();
  });

  test('are taken by one server each, oldest first', async () => {
    const { queue, open, drop } = await opened(40);
    const servers = [queue, webhooks(open(), () => 'server'), webhooks(open(), () => 'server')];
    const ids: string[] = [];
    while (ids.length < 40) {
      const taken = await Promise.all(servers.map((one) => one.take(500, { ...HOLD, limit: 4 })));
      for (const part of taken) {
        const numbers = part.map(({ run }) => Number(run.runId.slice(1)));
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
        ids.push(...part.map(({ deliveryId }) => deliveryId));
      }
    }
    expect(new Set(ids).size).toBe(40);
    await drop();
  });

  test('are due again if no attempt is recorded in time', async () => {
    const { queue, open, drop } = await opened();
    const other = webhooks(open(), () => 'server');
    expect(await queue.take(99, HOLD)).toEqual([]);
    expect(await queue.nextAt()).toBe(100);
    expect(await queue.take(100, HOLD)).toHaveLength(1);
    expect(await other.take(1_099, HOLD)).toEqual([]);
    expect(await other.nextAt()).toBe(1_100);
    expect(await other.take(1_100, HOLD)).toHaveLength(1);
    await drop();
  });

  test('keep their attempts; a failed one is due later, a settled one never again', async () => {
    const { queue, database, drop } = await opened();
    const [{ deliveryId = '' } = {}] = await queue.take(100, HOLD);
    const first = { at: 100, status: 500, error: 'answered with "500"\0' };
    await queue.record(deliveryId, first, { at: 300 });
    expect(await queue.take(299, HOLD)).toEqual([]);
    const [again] = await queue.take(300, HOLD);
    expect(again?.attempts).toEqual([{ ...first, error: 'answered with "500"\ufffd' }]);
    await queue.record(deliveryId, { at: 301, status: 200, error: null }, 'delivered');
    // A late attempt of another server.
    await queue.record(deliveryId, { at: 302, status: 500, error: 'late' }, { at: 400 });
    expect(await queue.nextAt()).toBeNull();
    expect(await queue.ofRun('r0')).toMatchObject([
      { deliveryId, state: 'delivered', attempts: [{ at: 100 }, { at: 301, status: 200, error: null }] },
    ]);
    expect(await database.all('SELECT run FROM skein.webhook_deliveries')).toEqual([{ run: null }]);
    await drop();
  });

  test('that were settled a week ago are deleted with the next settlement', async () => {
    const { queue, drop } = await opened(2);
    const week = 7 * 24 * 60 * 60 * 1_000;
    const settle = (id: string, at: number) => queue.record(id, { at, status: null, error: 'x' }, 'given_up');
    await settle('of r0', 200);
    await settle('of r1', 201 + week);
    expect(await queue.ofRun('r0')).toEqual([]);
    expect(await queue.ofRun('r1')).toMatchObject([{ state: 'given_up' }]);
    await drop();
  });

  test('of a thread that is being deleted are not sent, and are deleted with it', async () => {
    const { queue, database, thread, drop } = await opened();
    await database.run(`UPDATE skein.threads SET owner = '' WHERE key = $1`, thread);
    expect(await queue.take(1_000, HOLD)).toEqual([]);
    expect(await queue.nextAt()).toBeNull();
    await database.run('DELETE FROM skein.threads WHERE key = $1', thread);
    expect(await queue.ofRun('r0')).toEqual([]);
    await drop();
  });

  test('notify watchers, immediately in this process and soon on other servers', async () => {
    const { queue, open, drop } = await opened();
    const other = webhooks(open(), () => 'server');
    let [here, there] = [0, 0];
    const unwatch = [queue.watch(() => here++), other.watch(() => there++)];
    queue.added();
    expect(here).toBe(1);
    for (const end = performance.now() + 5_000; there === 0 && performance.now() < end; await Bun.sleep(10))
      queue.added();
    expect(there).toBeGreaterThan(0);
    for (const end of unwatch) end();
    await drop();
  });
});
