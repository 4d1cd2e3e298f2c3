/** A server takes over a run of another one, unless its own lease has expired by then. */
import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import pino from 'pino';
import type { Start } from '../../../runtime/run/active-run.ts';
import { takeover } from '../../../runtime/run/recovery.ts';
import { LeaseLost } from '../../../state/cluster/lease.ts';
import { newRun } from '../../contracts/coordination.ts';
import { accepted, ROOM } from '../../contracts/turn.ts';
import { openedPostgres } from '../../support/opened-postgres.ts';
import { POSTGRES } from '../../support/postgres-database.ts';

test.skipIf(POSTGRES === undefined)(
  'a run whose lease was lost during the takeover does not start',
  async () => {
    const { state, url, close } = await openedPostgres();
    await accepted(state, newRun(), { ...ROOM, claim: false });
    const started: Start[] = [];
    const registry = { workflows: [], find: () => undefined, runnable: () => expect.unreachable() };
    const takeOver = takeover({
      state,
      registry,
      start: (one) => started.push(one) as never,
      log: pino({ level: 'silent' }),
    });
    const [claim] = await state.coordination.claim(1);
    if (!claim) throw new Error('the run is not claimed');
    await takeOver(claim);
    expect(started.map(({ lease }) => lease)).toEqual([claim.lease]);

    const lost = new Promise<void>((resolve) =>
      state.coordination.watch(({ kind }) => kind === 'lost' && resolve()),
    );
    const sql = new SQL({ url, max: 1 });
    await sql`UPDATE skein.servers SET alive_until = '-infinity'`;
    await lost;
    await expect(takeOver(claim)).rejects.toThrow(LeaseLost);
    await sql.close({ timeout: 0 });
    await close();
  },
);
