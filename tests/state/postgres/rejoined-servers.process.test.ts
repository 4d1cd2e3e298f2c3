/** Servers that continue after their leases have expired: what they hold then. */
import { describe, expect, test } from 'bun:test';
import { LeaseLost } from '../../../state/cluster/lease.ts';
import type { OpenedState } from '../../../state/opened-state.ts';
import type { Claim } from '../../../state/threads/coordination.ts';
import type { EventBatch } from '../../../state/threads/events.ts';
import { newRun } from '../../contracts/coordination.ts';
import { accepted, ROOM } from '../../contracts/turn.ts';
import { until } from '../../server/support/until.ts';
import { POSTGRES } from '../../support/postgres-database.ts';
import { expiringServers } from './expiring-servers.ts';

const BATCH: EventBatch = {
  ...{ first: 1, last: 1, chat: { first: 1, last: 1 } },
  entries: [{ kind: 'end', body: {}, at: 0 }],
};

const WAITS_FOR_LOCK = `SELECT 1 FROM pg_locks WHERE NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

describe.skipIf(POSTGRES === undefined)('a server that continues with a new id', () => {
  test('keeps a run that it has claimed again when it finds that its earlier lease is lost', async () => {
    const { first, sql, expire, renewed, close } = await expiringServers();
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

  test('keeps the reservations of its model calls', async () => {
    const { first, another, expire, close } = await expiringServers();
    const second = await another();
    const limits = [{ scope: 'day', endsAt: Date.now() + 60 * 60 * 1000, tokens: 100 }];
    const amount = { tokens: 60, cost: 0 };
    const NOTHING = { tokens: 0, cost: 0 };
    const reserves = (state: OpenedState) => state.budgets.reserve(limits, { least: amount, most: amount });
    const own = await reserves(first);
    await expire();
    const isFull = async () => {
      const answer = await reserves(second);
      if (answer.outcome === 'reserved') answer.reservation.settle(NOTHING);
      return answer.outcome === 'full';
    };
    // A moment passes until the first server has a lease again.
    await until(isFull, 5_000);
    if (own.outcome === 'reserved') own.reservation.settle(NOTHING);
    await first.budgets.counted();
    expect(await isFull()).toBe(false);
    await close();
  });

  test('does not start a run that it claimed before its lease expired', async () => {
    const { first, another, sql, expire, close } = await expiringServers();
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
