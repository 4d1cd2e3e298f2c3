/** A queued run that is cancelled while the database rejects its end: it ends once, and no caller waits forever. */
import { expect, test } from 'bun:test';
import { echoing } from '../../server/support/calls.ts';
import { runningProvider, runningService } from '../../server/support/running.ts';
import { until } from '../../server/support/until.ts';
import { allEvents } from '../../support/events.ts';
import { askState } from '../../support/stored-state.ts';
import { ON_POSTGRES } from '../../support/test-state.ts';

const provider = runningProvider();
// With one slot, the next run could not start if the slot were not released.
const service = runningService(provider, 'limits: {concurrent_runs: 1}');

async function startRun(user_prompt: string): Promise<string> {
  const response = await service.fetch('/api/v1/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({
      conversation_flow: 'classification-agent',
      thread_id: 'given-up',
      user_prompt,
    }),
  });
  return ((await response.json()) as { run_id: string }).run_id;
}

const cancel = (run: string) => service.fetch(`/api/v1/runs/${run}/cancel`, { method: 'POST' });

/** The number of cancelled runs. */
async function cancelledRuns(): Promise<number> {
  const metrics = await (await service.fetch('/metrics')).text();
  return Number(/skein_runs_total\{[^}]*status="cancelled"[^}]*\} (\d+)/.exec(metrics)?.[1] ?? 0);
}

/** The database rejects the run's end until `allow` is called. */
async function rejectEnd(run: string) {
  const execute = (text: string) => askState(service.folder, text);
  const condition = `WHEN (NEW.run_id = '${run}' AND NEW.finished_at IS NOT NULL)`;
  if (ON_POSTGRES) {
    await execute(`CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN RAISE EXCEPTION ''refused''; END'`);
    await execute(`CREATE TRIGGER refuses BEFORE UPDATE OF finished_at ON runs
      FOR EACH ROW ${condition} EXECUTE FUNCTION refuse()`);
  } else
    await execute(`CREATE TRIGGER refuses BEFORE UPDATE OF finished_at ON runs
      ${condition} BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  return {
    async row() {
      const query = 'SELECT status, lease FROM runs WHERE run_id = $1';
      return (await askState<{ status: string; lease: number }>(service.folder, query, run))[0];
    },
    allow: () => execute(ON_POSTGRES ? 'DROP TRIGGER refuses ON runs' : 'DROP TRIGGER refuses'),
  };
}

test.each(['before', 'after'])(
  'a cancelled run ends once, and the next run of its thread starts, if its end is stored %s it is claimed',
  async (order) => {
    const before = await cancelledRuns();
    const gate = Promise.withResolvers<void>();
    provider.script = echoing({ answer: () => gate.promise.then(() => 'done') });
    const first = await startRun('first');
    const cancelledRun = await startRun('given up');
    const next = startRun('next');
    await next;
    const rejection = await rejectEnd(cancelledRun);
    const { lease = 0 } = (await rejection.row()) ?? {};
    // The service responds when the end is stored.
    const cancellation = cancel(cancelledRun);
    await Bun.sleep(300);
    expect((await rejection.row())?.status).toBe('queued');
    if (order === 'before') {
      await rejection.allow();
      await until(async () => (await rejection.row())?.status === 'cancelled');
    }
    gate.resolve();
    if (order === 'after') {
      await until(async () => ((await rejection.row())?.lease ?? 0) > lease);
      await rejection.allow();
      await until(async () => (await rejection.row())?.status === 'cancelled');
    }
    await until(async () => {
      const run = (await (await service.fetch(`/api/v1/runs/${await next}`)).json()) as { status: string };
      return run.status === 'succeeded';
    });
    expect((await (await service.fetch(`/api/v1/runs/${first}`)).json()) as object).toMatchObject({
      status: 'succeeded',
    });
    const received = await allEvents(await service.fetch(`/api/v1/runs/${cancelledRun}/stream`));
    expect(received.map(({ event, data }) => data.error_code ?? event)).toEqual([
      'run',
      'RUN_CANCELLED',
      'end',
    ]);
    expect((await cancellation).status).toBe(200);
    expect(await cancelledRuns()).toBe(before + 1);
  },
);
