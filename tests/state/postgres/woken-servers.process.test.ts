/** Servers whose leases expire while they are still alive: they were paused or lost the connection to the database. */
import { describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import type { Claim } from '../../../state/coordination.ts';
import { LeaseLost } from '../../../state/lease.ts';
import type { OpenedState } from '../../../state/opened-state.ts';
import { newRun } from '../../contracts/coordination.ts';
import { accepted } from '../../contracts/turn.ts';
import { until } from '../../server/support/until.ts';
import { openedPostgres } from '../../support/opened-postgres.ts';
import { POSTGRES } from '../../support/postgres-database.ts';

describe.skipIf(POSTGRES === undefined)('a server that resumes', () => {
  async function opened() {
    const { state: first, another, url, close } = await openedPostgres();
    const sql = new SQL({ url, max: 1 });
    return {
      first,
      another,
      sql,
      /** Ends the lease of the server that has claimed the run, and lets another one claim it. */
      async takeOver(runId: string, to: OpenedState): Promise<Claim | undefined> {
        await sql`UPDATE skein.servers SET alive_until = '-infinity'
          WHERE id = (SELECT server FROM skein.runs WHERE run_id = ${runId})`;
        return (await to.coordination.claim(1))[0];
      },
      async close() {
        await sql.close({ timeout: 0 });
        await close();
      },
    };
  }

  test('does not count as a crash of the runs that it lost', async () => {
    const { first, another, sql, takeOver, close } = await opened();
    const [second, third] = [await another(), await another()];
    const { run } = await accepted(first, newRun());
    expect((await takeOver(run.runId, second))?.attempt.deaths.count).toBe(1);
    expect((await takeOver(run.runId, third))?.attempt.deaths.count).toBe(2);
    await until(async () => {
      const [row] = await sql`SELECT deaths, left_by FROM skein.runs WHERE run_id = ${run.runId}`;
      return row.deaths === 0 && row.left_by === null;
    }, 5_000);
    await close();
  });

  test('stops the runs that it lost', async () => {
    const { first, another, takeOver, close } = await opened();
    const second = await another();
    const { run } = await accepted(first, newRun());
    const lost: string[] = [];
    first.coordination.watch((hint) => {
      if (hint.kind === 'lost') lost.push(hint.runId);
    });
    await takeOver(run.runId, second);
    await until(() => lost.length > 0, 5_000);
    expect(lost).toEqual([run.runId]);
    await close();
  });

  test("does not change its thread's interrupt", async () => {
    const { first, another, takeOver, close } = await opened();
    const second = await another();
    const { run, lease, thread } = await accepted(first, newRun());
    await first.threads.rewindInterrupt(thread.key, lease);
    expect(await first.threads.dropInterrupt(thread.key, undefined, lease)).toBe(true);
    expect((await takeOver(run.runId, second))?.lease.number).toBe(2);
    await expect(first.threads.rewindInterrupt(thread.key, lease)).rejects.toThrow(LeaseLost);
    await expect(first.threads.dropInterrupt(thread.key, undefined, lease)).rejects.toThrow(LeaseLost);
    await close();
  });
});
