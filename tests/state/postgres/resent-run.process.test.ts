/** An acceptance that is sent again because its answer was lost with the connection. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROOM, storedTurn } from '../../contracts/turn.ts';
import { openedPostgres } from '../../support/opened-postgres.ts';
import { POSTGRES } from '../../support/postgres-database.ts';

setDefaultTimeout(30_000);

describe.skipIf(!POSTGRES)('an acceptance that is repeated', () => {
  test.each([undefined, 'key'])(
    'returns the first one, with the idempotency key %p',
    async (idempotencyKey) => {
      const { state, close } = await openedPostgres();
      const options = idempotencyKey === undefined ? {} : { idempotencyKey };
      const { run, lease } = await storedTurn(state, { ...options, ends: 'accepted' });
      const again = await state.coordination.accept(run, ROOM);
      expect(again).toMatchObject({ outcome: 'accepted', lease, claim: { lease, checkpoint: null } });
      const behind = await storedTurn(state, { ends: 'accepted' });
      const waiting = await state.coordination.accept(behind.run, ROOM);
      expect(waiting).toMatchObject({ outcome: 'accepted', lease: { runId: behind.run.runId, number: 0 } });
      expect((await state.runs.unfinished()).map(({ runId }) => runId)).toEqual([
        run.runId,
        behind.run.runId,
      ]);
      await close();
    },
  );
});
