/** The planner's statistics of a new database. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { SQL } from 'bun';
import { until } from '../../server/support/until.ts';
import { openedPostgres } from '../../support/opened-postgres.ts';
import { POSTGRES } from '../../support/postgres-database.ts';

setDefaultTimeout(30_000);

describe.skipIf(!POSTGRES)('a new database', () => {
  const opened: { close(): Promise<unknown> }[] = [];
  afterAll(async () => {
    for (const one of opened.reverse()) await one.close();
  });

  test('looks up threads by their unique index soon after its first threads', async () => {
    const states = await openedPostgres();
    const sql = new SQL({ url: states.url, max: 1 });
    opened.push(states, sql);
    // Without statistics, the planner finds other indexes as good as this one.
    const lookup = `EXPLAIN (FORMAT JSON) SELECT * FROM skein.threads WHERE owner = 'ann' AND thread_id = 't7'`;
    await sql`INSERT INTO skein.threads (owner, thread_id, title, workflow, created_at, updated_at)
      SELECT 'ann', 't' || n, '', 'w', n, n FROM generate_series(1, 2000) AS n`;
    await until(async () => {
      const [row] = await sql`SELECT reltuples FROM pg_class WHERE oid = 'skein.threads'::regclass`;
      return row.reltuples === 2000;
    }, 20_000);
    const [{ 'QUERY PLAN': plans }] = await sql.unsafe(lookup);
    expect(JSON.stringify(plans)).toContain('threads_owner_thread_id_key');
  });
});
