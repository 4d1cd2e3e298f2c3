/** Sweeps run in one process at a time, and in another one after a crash. */
import { describe, expect, test } from 'bun:test';
import { sweeps } from '../../../state/postgres/sweeps.ts';
import { until } from '../../server/support/until.ts';
import { drivers, postgresServers } from '../../support/open-drivers.ts';
import { POSTGRES } from '../../support/postgres-database.ts';

const DRIVERS = drivers({ sqlite: (state) => state.sweeps, postgres: (database) => sweeps(database) });

for (const { name, skip, open } of DRIVERS)
  test.skipIf(skip)(`${name}: the work is repeated, and the caller handles its errors`, async () => {
    const { stores, close } = await open();
    expect(await stores.runExclusively('a', async () => 1)).toBe(1);
    expect(stores.runExclusively('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await stores.runExclusively('b', () => stores.runExclusively('a', async () => 2))).toBe(2);
    await close();
  });

describe.skipIf(POSTGRES === undefined)('several servers', () => {
  test('do the work of a name one at a time, for as long as it takes', async () => {
    const { open, drop } = await postgresServers();
    const [first, second] = [sweeps(open(), 1_500), sweeps(open(), 1_500)];
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const working = first.runExclusively('a', () => {
      begun.resolve();
      return promise;
    });
    await begun.promise;
    expect(await second.runExclusively('b', async () => 'another name')).toBe('another name');
    // Longer than the lease, which is renewed during the work.
    for (const until = performance.now() + 1_800; performance.now() < until; await Bun.sleep(20))
      expect(await second.runExclusively('a', async () => 'not alone')).toBeUndefined();
    resolve();
    await working;
    expect(await second.runExclusively('a', async () => 'alone')).toBe('alone');
    await drop();
  });

  test('abort when another one has started, or when the database does not respond for a lease time', async () => {
    const { open, drop } = await postgresServers();
    const [database, other] = [open(), open()];
    const untilLost = (lost: AbortSignal) =>
      new Promise<string>((resolve) => lost.addEventListener('abort', () => resolve('lost')));
    const working = sweeps(database, 400).runExclusively('a', untilLost);
    await until(async () => (await other.run("DELETE FROM skein.sweeps WHERE name = 'a'")) === 1);
    expect(await working).toBe('lost');
    const begun = Promise.withResolvers<void>();
    const cutOff = sweeps(database, 400).runExclusively('b', (lost) => {
      begun.resolve();
      return untilLost(lost);
    });
    await begun.promise;
    await database.close();
    expect(await cutOff).toBe('lost');
    await drop();
  });

  test('take over the work of a crashed server', async () => {
    const { open, drop } = await postgresServers();
    const closed = open();
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const working = sweeps(closed, 200).runExclusively('a', () => {
      begun.resolve();
      return ended.promise;
    });
    await begun.promise;
    await closed.close();
    const other = sweeps(open(), 200);
    for (const until = performance.now() + 5_000; performance.now() < until; await Bun.sleep(20))
      if (await other.runExclusively('a', async () => true)) break;
    expect(await other.runExclusively('a', async () => 'alone')).toBe('alone');
    ended.resolve();
    await working;
    await drop();
  });
});
