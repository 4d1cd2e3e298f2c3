/** Ending a stream early cancels the run in the real service and aborts its model call. */
import { afterAll, expect, test } from 'bun:test';
import { createClient, streamChat } from '../../client/client.ts';
import { echoing } from '../server/support/calls.ts';
import { runningProvider } from '../server/support/running.ts';
import { until } from '../server/support/until.ts';
import { providerEnv, testService } from '../support/service.ts';

const provider = runningProvider();
const service = await testService({ env: providerEnv(provider.url) });
afterAll(() => service.close());

const request = { conversation_flow: 'classification-agent', user_prompt: 'hi', thread_id: 'left' };

test('breaking out of the loop cancels the run before the loop ends', async () => {
  provider.script = echoing({ answer: () => new Promise(() => {}) });
  let runId = '';
  for await (const { event, data } of streamChat(service.url, request)) {
    if (event === 'run') runId = data.run_id;
    if (event !== 'agent' || data.state !== 'finished') continue;
    await until(() => provider.requests.length === 2, 20_000);
    break;
  }
  const { data } = await createClient(service.url).api.v1.runs({ run_id: runId }).get();
  expect(data?.status).toBe('cancelled');
  await until(() => provider.aborted === 1, 20_000);
});

test('aborting while no events arrive cancels the run too', async () => {
  provider.script = echoing({ answer: () => new Promise(() => {}) });
  const stopper = new AbortController();
  const events = streamChat(service.url, request, { signal: stopper.signal });
  const reading = Array.fromAsync(events).catch((error) => error.name);
  await until(() => provider.requests.length === 2, 20_000);
  stopper.abort();
  expect(await reading).toBe('AbortError');
  await until(() => provider.aborted === 1, 20_000);
  const { data } = await createClient(service.url).api.v1.runs.get({ query: { status: 'cancelled' } });
  expect(data?.runs).toHaveLength(2);
});
