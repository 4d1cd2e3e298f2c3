/** Servers whose leases expire while they are still alive: they were paused or lost the connection to the database. */
import { describe, expect, test } from 'bun:test';
import { LeaseLost } from '../../../state/cluster/lease.ts';
import type { EventBatch } from '../../../state/threads/events.ts';
import { newRun } from '../../contracts/coordination.ts';
import { accepted } from '../../contracts/turn.ts';
import { until } from '../../server/support/until.ts';
import { POSTGRES } from '../../support/postgres-database.ts';
import { expiringServers } from './expiring-servers.ts';

const BATCH: EventBatch = {
  ...{ first: 1, last: 1, chat: { first: 1, last: 1 } },
  entries: [{ kind: 'end', body: {}, at: 0 }],
};

describe.skipIf(POSTGRES === undefined)('a server that resumes', () => {
  test('does not count as a crash of the runs that it lost', async () => {
    const { first, another, sql, takeOver, close } = await expiringServers();
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
    const { first, another, sql, expire, renewed, close } = await expiringServers();
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
    const { first, another, takeOver, close } = await expiringServers();
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
    const { first, another, takeOver, close } = await expiringServers();
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
    const { first, another, takeOver, close } = await expiringServers();
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
