/** Webhooks of runs with LangGraph's own client: their content, their time, and forbidden destinations. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { Client } from '@langchain/langgraph-sdk';
import { type TestService, testService } from '../../../support/service.ts';
import { until } from '../../support/until.ts';
import { runningReceiver } from '../../webhooks/receiver.ts';

const GRAPH = `
const State = Annotation.Root({ n: Annotation(), waited: Annotation() });
export default new StateGraph(State)
  .addNode('one', async ({ n }, { signal }) => {
    if (n === 0) throw new RangeError('n must not be 0');
    if (n === 9) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    return { n: n + 1 };
  }).addEdge(START, 'one').compile();`;

const SECRET = 'a-secret-of-webhooks';
const hook = runningReceiver();
let service: TestService;
beforeAll(async () => {
  service = await testService({
    graphs: { counter: GRAPH },
    config: `webhooks: {allowed_hosts: [127.0.0.1], secret: ${SECRET}}`,
  });
});
afterAll(() => service.close());

const client = () => new Client({ apiUrl: service.url, apiKey: null, callerOptions: { maxRetries: 0 } });
const url = (path = '/hook') => `${hook.url}${path}`;
const arrived = (count = 1) => until(() => hook.received.length >= count);

test("the webhook of an ended run has the run's fields and the thread's values", async () => {
  const { thread_id } = await client().threads.create();
  const run = await client().runs.create(thread_id, 'counter', {
    ...{ input: { n: 1 }, metadata: { team: 'x' }, webhook: url('/hook?of=ann') },
  });
  await arrived();
  const [{ path, headers, body } = { path: '', headers: new Headers(), body: undefined }] = hook.received;
  expect([path, headers.get('content-type')]).toEqual(['/hook?of=ann', 'application/json']);
  expect(body).toMatchObject({
    ...{ run_id: run.run_id, thread_id, assistant_id: run.assistant_id, status: 'success' },
    ...{ values: { n: 2 }, metadata: { team: 'x' }, multitask_strategy: 'enqueue' },
    kwargs: { input: { n: 1 }, webhook: url('/hook?of=ann') },
  });
  expect(body).not.toHaveProperty('error');
  const times = [body.run_started_at, body.run_ended_at, body.webhook_sent_at];
  expect(times.map((time) => new Date(time).toISOString())).toEqual(times);
  expect(times.toSorted()).toEqual(times);
});

test('it is signed, and has an ID', async () => {
  await client().runs.wait(null, 'counter', { input: { n: 1 }, webhook: url() });
  await arrived();
  const [{ headers, text } = { headers: new Headers(), text: '' }] = hook.received;
  const [, time, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers.get('x-skein-signature') ?? '') ?? [];
  expect(mac).toBe(createHmac('sha256', SECRET).update(`${time}.${text}`).digest('hex'));
  expect(Math.abs(Number(time) - Date.now() / 1000)).toBeLessThan(60);
  expect(headers.get('x-skein-delivery')).toMatch(/^[0-9a-f-]{36}$/);
});

test('the webhook of a failed run has the message of the error', async () => {
  const { thread_id } = await client().threads.create();
  await client().runs.create(thread_id, 'counter', { input: { n: 0 }, webhook: url() });
  await arrived();
  const { status, error, values } = hook.received[0]?.body ?? {};
  expect({ status, error, values }).toEqual({ status: 'error', error: 'n must not be 0', values: { n: 0 } });
});

test('a cancelled run sends a webhook, a rolled-back one does not', async () => {
  const { thread_id } = await client().threads.create();
  for (const action of ['rollback', 'interrupt'] as const) {
    const run = await client().runs.create(thread_id, 'counter', {
      input: { n: 9 },
      webhook: url(`/${action}`),
    });
    await until(async () => (await client().runs.get(thread_id, run.run_id)).status === 'running');
    await client().runs.cancel(thread_id, run.run_id, true, action);
  }
  await arrived();
  expect(hook.received.map(({ path, body }) => [path, body.status])).toEqual([['/interrupt', 'interrupted']]);
});

test('the values are those after the run, whatever has changed since', async () => {
  const { thread_id } = await client().threads.create();
  for (const n of [1, 5])
    await client().runs.create(thread_id, 'counter', {
      input: { n },
      webhook: url(),
      multitaskStrategy: 'enqueue',
    });
  await arrived(2);
  const values = hook.received.map(({ body }) => [body.kwargs.input.n, body.values.n]);
  expect(values.toSorted()).toEqual([
    [1, 2],
    [5, 6],
  ]);
});

test('an invalid webhook is rejected, and no run starts', async () => {
  const { thread_id } = await client().threads.create();
  const refusals = {
    'expected an http or https URL, or a path that starts with /': [
      ...['', 'nonsense', 'ftp://127.0.0.1/', 'javascript:alert(1)', '//127.0.0.1/', '/\\127.0.0.1/'],
    ],
    'expected a URL without credentials': ['http://ann:secret@127.0.0.1/'],
    'its host is not in webhooks.allowed_hosts': [
      'https://example.org/',
      'http://[::1]/',
      'http://localhost/',
    ],
  };
  for (const [reason, urls] of Object.entries(refusals))
    for (const webhook of urls)
      for (const path of [`/threads/${thread_id}/runs`, '/runs/wait', '/runs/stream']) {
        const answer = await service.fetch(path, {
          ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
          body: JSON.stringify({ assistant_id: 'counter', input: { n: 1 }, webhook }),
        });
        expect([webhook, answer.status, await answer.text()]).toEqual([webhook, 400, `webhook: ${reason}`]);
      }
  expect(await client().runs.list(thread_id)).toEqual([]);
});
