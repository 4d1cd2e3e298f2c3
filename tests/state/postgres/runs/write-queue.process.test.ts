/** Queued writes: what a failed write means for its unit and for the others in the same statement. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { LeaseLost } from '../../../../state/cluster/lease.ts';
import { type Database, openDatabase } from '../../../../state/postgres/database/database.ts';
import { migrate } from '../../../../state/postgres/database/migrate.ts';
import { type RunWriteQueue, writeQueue } from '../../../../state/postgres/runs/write-queue.ts';
import type { RunWrites } from '../../../../state/postgres/runs/writes.ts';
import { freshDatabase, POSTGRES, type TestDatabase } from '../../../support/postgres-database.ts';
import { insertRun, insertThread } from '../stored-rows.ts';

let fresh: TestDatabase;
let database: Database;
let queue: RunWriteQueue;
let thread: number;
const server = Bun.randomUUIDv7();

describe.skipIf(POSTGRES === undefined)('the write queue', () => {
  beforeEach(async () => {
    fresh = await freshDatabase();
    database = openDatabase({ url: fresh.url, size: 4, timeoutMs: 10_000 });
    await migrate(database);
    await database.get('SELECT skein.join_v1($1, 600)', server);
    thread = await insertThread(database, 't');
    queue = queueOf(database);
  });
  afterEach(async () => {
    await database.close();
    await fresh.drop();
  });

  const queueOf = (from: Database, retryForMs = 0) =>
    writeQueue({ database: from, server: () => server, retryForMs, lost: () => {} });

  async function unitOf(runId: string, number = 1) {
    await insertRun(database, { runId, thread, status: 'running' });
    await database.run('UPDATE skein.runs SET lease = 1, server = $1 WHERE run_id = $2', server, runId);
    return { threadKey: String(thread), lease: { runId, number } };
  }

  const events = (first: number): RunWrites => ({
    events: [{ first, last: first, chat_first: 1, chat_last: 1, created_at: 1, body: '[]' }],
  });
  const stored = async () =>
    (await database.all<{ run_id: string }>('SELECT run_id FROM skein.events ORDER BY run_id')).map(
      ({ run_id }) => run_id,
    );

  test('a write that PostgreSQL rejects fails its own unit, and the others are stored', async () => {
    const [good, bad] = [await unitOf('good'), await unitOf('bad')];
    const both = [queue.add(bad, events(1e30), 'now'), queue.add(good, events(1), 'now')];
    const [failed, kept] = await Promise.allSettled(both);
    expect([failed?.status, kept?.status]).toEqual(['rejected', 'fulfilled']);
    expect(await stored()).toEqual(['good']);
    await expect(queue.add(bad, events(1), 'now')).rejects.toThrow('out of range');
    await expect(queue.take(bad)).rejects.toThrow('out of range');
    await queue.idle();
  });

  test('a unit whose lease is lost fails, and so do its writes that are still queued', async () => {
    const [lost, good] = [await unitOf('lost', 9), await unitOf('good')];
    const all = [
      ...[queue.add(lost, events(1), 'durable'), queue.add(lost, () => events(2), 'soon')],
      queue.add(good, events(1), 'now'),
    ];
    const [first, second, other] = await Promise.allSettled(all);
    expect(
      [first, second].map((one) => one?.status === 'rejected' && one.reason instanceof LeaseLost),
    ).toEqual([true, true]);
    expect(other?.status).toBe('fulfilled');
    const forgotten = queue.add(good, events(2), 'soon');
    queue.forget(good);
    await expect(forgotten).rejects.toBeInstanceOf(LeaseLost);
    // A unit without writes is forgotten, too.
    queue.forget(good);
    await queue.written();
    expect(await stored()).toEqual(['good']);
  });

  test('more writes than concurrent statements are stored in turn', async () => {
    const units = await Promise.all(Array.from({ length: 12 }, (_, n) => unitOf(`r${n}`)));
    const all: Promise<void>[] = [];
    for (const unit of units) {
      all.push(queue.add(unit, events(1), 'now'), queue.add(unit, events(2), 'soon'));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(all);
    await queue.settled({ threadKey: String(thread), lease: undefined });
    expect((await stored()).length).toBe(24);
  });

  test('while the database is unreachable, the writes of a taken unit stay queued until it ends again', async () => {
    const unit = await unitOf('r');
    const away = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', size: 1, timeoutMs: 1_000 });
    const broken = queueOf(away);
    const waits = { ...unit, lease: { runId: 'r', number: 0 } };
    await expect(broken.add(waits, events(1), 'now')).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' });
    // A waiting run only writes its log, which is written again when it ends.
    expect((await broken.take(waits)).writes.units).toEqual([]);
    void broken.add(unit, events(1), 'soon').catch(() => {});
    const taken = await broken.take(unit);
    taken.failed(await away.get('SELECT 1').catch((error: unknown) => error));
    // They don't delay the end of the process.
    await broken.idle();
    expect((await broken.take(unit)).writes.units).toHaveLength(1);
    await away.close();
  });

  test('a write on a connection that does not answer is repeated on another one', async () => {
    const unit = await unitOf('r');
    const target = new URL(fresh.url);
    let connections = 0;
    const relay = createServer((socket) => {
      connections++;
      if (connections === 1) return;
      const upstream = connect(Number(target.port), target.hostname);
      for (const one of [socket, upstream]) one.on('error', () => one.destroy());
      socket.pipe(upstream).pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    const through = Object.assign(new URL(fresh.url), {
      host: `127.0.0.1:${(relay.address() as AddressInfo).port}`,
    });
    const away = openDatabase({ url: through.href, size: 1, timeoutMs: 1_000 });
    await queueOf(away, 20_000).add(unit, events(1), 'now');
    expect(connections).toBeGreaterThan(1);
    expect(await stored()).toEqual(['r']);
    await away.close();
    relay.close();
  });
});
