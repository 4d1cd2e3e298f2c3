import { expect, test } from 'bun:test';
import type { Hint } from '../../../state/threads/coordination.ts';
import { newRun } from '../../contracts/coordination.ts';
import { accepted } from '../../contracts/turn.ts';
import { until } from '../../server/support/until.ts';
import { openedPostgres } from '../../support/opened-postgres.ts';
import { POSTGRES } from '../../support/postgres-database.ts';

test.skipIf(POSTGRES === undefined)(
  'the server that executes a run is notified when another starts to follow it',
  async () => {
    const { state, another, close } = await openedPostgres();
    const [other, third] = [await another(), await another()];
    const { run } = await accepted(state, newRun());
    const hints: [string, Hint][] = [];
    for (const [name, one] of Object.entries({ state, other, third }))
      one.coordination.watch((hint) => hints.push([name, hint]));
    const leave = other.coordination.follow(run.runId);
    await until(() => hints.length > 0, 5_000);
    expect(hints).toEqual([['state', { kind: 'followed', runId: run.runId }]]);
    expect(state.coordination.isFollowed(run.runId)).toBe(true);
    leave();
    await close();
  },
);
