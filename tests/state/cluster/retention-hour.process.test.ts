/** The hourly limit of retention: one share for all servers, by the clock of the database. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { retentionHour } from '../../../state/postgres/threads/retention-hour.ts';
import { threadArchive } from '../../../state/postgres/threads/threads.ts';
import { postgresServers } from '../../support/open-drivers.ts';
import { POSTGRES } from '../../support/postgres-database.ts';

setDefaultTimeout(60_000);

describe.skipIf(POSTGRES === undefined)('with PostgreSQL', () => {
  test('servers share the limit, setting the clock back adds no deletions, and the next hour starts at zero', async () => {
    const { open, drop } = await postgresServers();
    const database = open();
    const threads = threadArchive(database);
    for (let n = 0; n < 40; n++)
      await threads.create('ann', { threadId: `t${n}`, metadata: {}, createdAt: n });
    const hours = [database, open(), open()].map(retentionHour);
    const taken = await Promise.all(hours.map((hour) => hour.take(3, 0.1)));
    expect(taken.reduce((sum, count) => sum + count, 0)).toBe(4);
    await hours[0]?.release(1);
    expect(await hours[1]?.take(3, 0.1)).toBe(1);
    const move = (by: string) =>
      database.run(`UPDATE skein.retention_hour SET started_at = clock_timestamp() + interval '${by}'`);
    for (const [by, more] of [
      ['40 days', 0],
      ['-59 minutes', 0],
      ['-61 minutes', 4],
    ] as const) {
      await move(by);
      expect(await hours[2]?.take(20, 0.1)).toBe(more);
    }
    await drop();
  });
});
