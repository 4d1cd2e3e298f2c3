/** Minute counters that servers share, and of each server while the database is unreachable. */
import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { SQL } from 'bun';
import { minuteCounters } from '../../../state/postgres/counters/counters.ts';
import { openDatabase } from '../../../state/postgres/database/database.ts';
import { minuteCountersContract } from '../../contracts/minute-counters.ts';
import { openedPostgres } from '../../support/opened-postgres.ts';
import { POSTGRES } from '../../support/postgres-database.ts';

setDefaultTimeout(30_000);

describe.skipIf(!POSTGRES)('counters on PostgreSQL', () => {
  const opened: { close(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
  });

  async function open() {
    const states = await openedPostgres();
    const sql = new SQL({ url: states.url, max: 1 });
    opened.push(states, sql);
    const { counters } = states.state;
    const others = (await states.another()).counters;
    const pass = async (milliseconds: number) => {
      await sql`UPDATE skein.counters SET until = until - ${milliseconds} * interval '1 millisecond'`;
    };
    return { counters, others, pass, sql };
  }

  minuteCountersContract(open);

  test('stores neither names nor addresses', async () => {
    const { counters, sql } = await open();
    await counters.take([{ key: 'chat 192.0.2.7', most: 2 }]);
    const [row] = await sql`SELECT encode(key, 'escape') AS key, count FROM skein.counters`;
    expect(row.count).toBe(1);
    expect(row.key).not.toContain('192.0.2.7');
  });

  test('while the database is unreachable, each server counts on its own without delay', async () => {
    const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
    const url = `postgres://a:b@127.0.0.1:${listener.port}/none`;
    const database = openDatabase({ url, size: 1, timeoutMs: 5_000 });
    const counters = minuteCounters(database);
    const began = performance.now();
    const wanted = [{ key: 'a', most: 2 }];
    expect(await counters.take(wanted)).toBeUndefined();
    expect(await counters.take(wanted)).toBeUndefined();
    expect(await counters.take(wanted)).toMatchObject({ key: 'a', most: 2 });
    expect(performance.now() - began).toBeLessThan(4_000);
    await database.close();
    listener.stop(true);
  });
});
