/** Servers whose leases expire while they are still alive: they were paused or lost the connection to the database. */
import { describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import type { Claim } from '../../../state/coordination.ts';
import type { EventBatch } from '../../../state/events.ts';
import { LeaseLost } from '../../../state/lease.ts';
import type { OpenedState } from '../../../state/opened-state.ts';
import { newRun } from '../../contracts/coordination.ts';
import { accepted, ROOM } from '../../contracts/turn.ts';
import { until } from '../../server/support/until.ts';
import { openedPostgres } from '../../support/opened-postgres.ts';
import { POSTGRES } from '../../support/postgres-database.ts';

const BATCH: EventBatch = {
  ...{ first: 1, last: 1, chat: { first: 1, last: 1 } },
  entries: [{ kind: 'end', body: {}, at: 0 }],
};

const WAITS_FOR_LOCK = `SELECT 1 FROM pg_locks WHERE NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

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
      /** Ends the leases of all servers; resolves when the first one has a new id. */
      async expire(): Promise<void> {
        const admin = new SQL({ url, max: 1 });
        await admin`UPDATE skein.servers SET alive_until = '-infinity'`;
        await until(
          async () => (await admin`SELECT 1 FROM skein.servers WHERE alive_until > now()`).length > 0,
          20_000,
        );
        await admin.close({ timeout: 0 });
      },
      /** Resolves at the next renewal of a lease. */
      async renewed(): Promise<void> {
        const newest = async () =>
          Number((await sql`SELECT max(alive_until) AS at FROM skein.servers`)[0].at);
        const before = await newest();
        await until(async () => (await newest()) > before, 20_000);
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

  test('does not count as a crash of runs that are claimed after it has resumed', async () => {
    const { first, another, sql, expire, renewed, close } = await opened();
    const { run } = await accepted(first, newRun());
    await expire();
    for (let renewal = 0; renewal < 2; renewal++) await renewed();
    const [claim] = await (await another()).coordination.claim(1);
    expect(claim?.attempt.deaths.count).toBe(1);
    await until(async () => {
      const [row] = await sql`SELECT deaths, left_by FROM skein.runs WHERE run_id = ${run.runId}`;
      return row.deaths === 0 && row.left_by === null;
    }, 5_000);
    await close();
  });

  test('stops a run as soon as a write is rejected', async () => {
    const { first, another, takeOver, close } = await opened();
    const second = await another();
    const { run, lease } = await accepted(first, newRun());
    const lost: string[] = [];
    first.coordination.watch((hint) => {
      if (hint.kind === 'lost') lost.push(hint.runId);
    });
    await takeOver(run.runId, second);
    await expect(first.events.append(lease, () => [BATCH], 'now')).rejects.toThrow(LeaseLost);
    expect(lost).toEqual([run.runId]);
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

  test('keeps a run that it has claimed again when it finds that its earlier lease is lost', async () => {
    const { first, sql, expire, renewed, close } = await opened();
    const { run, lease } = await accepted(first, newRun());
    await expire();
    expect((await first.coordination.claim(1))[0]?.lease).toEqual({ runId: run.runId, number: 2 });
    await expect(first.events.append(lease, () => [BATCH], 'now')).rejects.toThrow(LeaseLost);
    // A server releases runs that it doesn't know it has claimed, but only after a while: the answer may be on its way.
    await sql`UPDATE skein.runs SET started_at = 0 WHERE run_id = ${run.runId}`;
    for (let renewal = 0; renewal < 2; renewal++) await renewed();
    const [row] = await sql`SELECT status, lease FROM skein.runs WHERE run_id = ${run.runId}`;
    expect({ ...row }).toEqual({ status: 'running', lease: 2 });
    await close();
  });

  test('does not start a run that it claimed before its lease expired', async () => {
    const { first, another, sql, expire, close } = await opened();
    const { run } = await accepted(first, newRun(), { ...ROOM, claim: false });
    let claims: Promise<Claim[]> | undefined;
    await sql.begin(async (tx) => {
      await tx`LOCK TABLE skein.threads`;
      claims = first.coordination.claim(1);
      const isWaiting = async () => (await tx.unsafe(WAITS_FOR_LOCK)).length > 0;
      await until(isWaiting);
      await expire();
    });
    expect(await claims).toEqual([]);
    const [claim] = await (await another()).coordination.claim(1);
    expect(claim?.lease).toEqual({ runId: run.runId, number: 2 });
    await close();
  });
});
