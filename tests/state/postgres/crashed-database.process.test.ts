/** A crash of the database may undo commits that were not on disk. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { isLeaseLost } from '../../../state/cluster/lease.ts';
import { openPostgres } from '../../../state/postgres/open.ts';
import type { EventBatch } from '../../../state/threads/events.ts';
import { newRun } from '../../contracts/coordination.ts';
import { accepted } from '../../contracts/turn.ts';
import { until } from '../../server/support/until.ts';
import {
  type DatabaseServer,
  findPrograms,
  makeServer,
  type ServerLocation,
} from '../../support/database-server.ts';
import { POSTGRES } from '../../support/postgres-database.ts';
import { POSTGRES_SERVER, urlOf } from '../../support/postgres-server.ts';

const batch = (number: number): EventBatch => ({
  ...{ first: number, last: number, chat: { first: number, last: number } },
  entries: [{ kind: 'message', node: 'a', taskId: 'a', body: { delta: 'said', id: 'm' }, at: 1 }],
});

describe.skipIf(POSTGRES === undefined)('a database that crashes', () => {
  let database: DatabaseServer;
  beforeAll(async () => {
    const kind = {
      ...POSTGRES_SERVER,
      killSignal: 'SIGQUIT' as const,
      // Commits that don't wait for the disk stay in memory.
      serve: (place: ServerLocation) => [...POSTGRES_SERVER.serve(place), '-c', 'wal_writer_delay=10s'],
    };
    database = await makeServer(kind, findPrograms(POSTGRES_SERVER) ?? '');
    await database.start();
  }, 60_000);
  afterAll(() => database?.remove());

  const crash = async () => {
    await database.kill();
    await database.start();
  };

  function opened() {
    return openPostgres({
      ...{ url: urlOf(database.port), poolSize: 2, leaseSeconds: 1, checkpointsPerThread: 20 },
    });
  }

  async function started(threadId: string) {
    const state = await opened();
    const { run, lease } = await accepted(state, { ...newRun(), threadId });
    expect(await state.durable(run.runId)).toBe(true);
    const append = (number: number, urgency: 'now' | 'soon') =>
      state.events.append(lease, () => [batch(number)], urgency);
    return { state, run, append };
  }

  test('and has lost writes of a run ends its lease; the run continues from the stored state', async () => {
    const { state, run, append } = await started('undone');
    await append(1, 'soon');
    await crash();
    const error = await append(2, 'now').catch((thrown: unknown) => thrown);
    expect(isLeaseLost(error)).toBe(true);
    expect(await state.events.read(run.runId, { entry: 0 }, 10)).toEqual([]);
    await until(async () => (await state.coordination.claim(1))[0]?.lease.runId === run.runId, 20_000);
    await state.close();
  }, 60_000);

  test('and has kept the writes of a run does not affect it, and sent events are kept', async () => {
    const { state, run, append } = await started('kept');
    await append(1, 'now');
    await crash();
    await append(2, 'now');
    expect(await state.events.read(run.runId, { entry: 0 }, 10)).toMatchObject([{ first: 1 }, { first: 2 }]);
    await state.close();
  }, 60_000);

  test('and has lost the acceptance of a run says so instead of reporting it as durable', async () => {
    const state = await opened();
    const { run } = await accepted(state, { ...newRun(), threadId: 'lost' });
    await crash();
    let kept: boolean | undefined;
    await until(async () => {
      kept = await state.durable(run.runId).catch(() => undefined);
      return kept !== undefined;
    }, 20_000);
    expect(kept).toBe(false);
    await state.close();
  }, 60_000);
});
