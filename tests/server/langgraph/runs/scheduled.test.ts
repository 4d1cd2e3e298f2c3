/** Runs with `after_seconds`: they have their own limits, and block no other runs. */
import { expect, test } from 'bun:test';
import { Client } from '@langchain/langgraph-sdk';
import { runningProvider, runningService } from '../../support/running.ts';
import { COUNTER } from './graphs.ts';

const limits = 'limits: { queued_turns_per_thread: 2, queued_runs: 3 }';
const service = runningService(runningProvider(), limits, { counter: COUNTER });
const client = () => new Client({ apiUrl: service.url, apiKey: null, callerOptions: { maxRetries: 0 } });
const INPUT = { input: { messages: ['go'], wait: 0, fail: false } };

test('a cancelled run that has not begun is interrupted as soon as the response arrives', async () => {
  const { runs, threads } = client();
  // The response used to be sent before the end was stored, so some of these lists were empty.
  for (let index = 0; index < 20; index++) {
    const { thread_id: id } = await threads.create();
    const { run_id } = await runs.create(id, 'counter', { ...INPUT, afterSeconds: 1_000 });
    await runs.cancel(id, run_id);
    expect(await runs.list(id, { status: 'interrupted' })).toMatchObject([{ run_id }]);
  }
});

test('scheduled runs are limited like queued ones, per thread and in total', async () => {
  const { runs, threads } = client();
  const { thread_id: id } = await threads.create();
  const later = (thread: string | null) =>
    runs.create(thread as string, 'counter', { ...INPUT, afterSeconds: 1_000 });
  const first = await later(id);
  await later(id);
  await expect(later(id)).rejects.toThrow('HTTP 409: 2 turns are already queued on this thread');
  await later(null);
  await expect(later(null)).rejects.toThrow('HTTP 503');
  // Scheduled runs take no queue slots from a run that starts now.
  expect(await runs.wait(id, 'counter', INPUT)).toMatchObject({ n: 2 });
  expect(await runs.wait(null, 'counter', INPUT)).toMatchObject({ n: 2 });
  await runs.cancel(id, first.run_id, true);
  expect((await later(id)).status).toBe('pending');
});
