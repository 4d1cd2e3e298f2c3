/** POST /runs/{run_id}/cancel for running, queued, interrupted and finished runs. */
import { expect, test } from 'bun:test';
import { allEvents } from '../../support/events.ts';
import { conversationOf, echoing } from '../support/calls.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { until } from '../support/until.ts';

const ASKING = `
export default workflow({
  description: 'Asks.', example: 'Hello', agents: () => [{ name: 'asker', description: 'A' }],
  build: ({ agent }) => new StateGraph(Conversation)
    .addNode('asker', agent('asker', async (state, { answer }) => {
      const value = interrupt({ question: 'Really?' });
      return answer('You were told ' + value);
    }))
    .addEdge(START, 'asker').addEdge('asker', END),
});`;

const provider = runningProvider();
const service = runningService(provider, '', { asking: ASKING });

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
type Body = any;

async function call(method: string, path: string, body?: object): Promise<{ status: number; body: Body }> {
  const response = await service.fetch(`/api/v1${path}`, {
    method,
    ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: await response.json() };
}

async function background(body: object): Promise<string> {
  const response = await service.fetch('/api/v1/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ conversation_flow: 'classification-agent', user_prompt: 'hi', ...body }),
  });
  return ((await response.json()) as { run_id: string }).run_id;
}

test('a running one is aborted at the provider, and the clients of its stream get the reason', async () => {
  provider.script = echoing({ answer: () => new Promise(() => {}) });
  const run = await background({ thread_id: 'running' });
  const received = service.fetch(`/api/v1/runs/${run}/stream`).then(allEvents);
  await until(() => provider.requests.length === 2);
  expect((await call('GET', `/runs/${run}`)).body).toMatchObject({
    status: 'running',
    agents: [
      { agent: 'classification_agent', state: 'finished' },
      { agent: 'support_responder', state: 'started', duration_ms: null },
    ],
    usage: { input_tokens: 20, output_tokens: 10 },
  });
  const { status, body } = await call('POST', `/runs/${run}/cancel`);
  expect({ status, run: body.status, code: body.error.error_code }).toEqual({
    status: 200,
    run: 'cancelled',
    code: 'RUN_CANCELLED',
  });
  await until(() => provider.aborted === 1, 1_000);
  expect((await received).slice(-2).map(({ event, data }) => data.error_code ?? event)).toEqual([
    'RUN_CANCELLED',
    'end',
  ]);
});

test('the client of a running one gets the error, and a queued one never runs', async () => {
  const gate = Promise.withResolvers<void>();
  provider.script = echoing({ answer: () => gate.promise.then(() => 'done') });
  const first = service.chat({ user_prompt: 'first', thread_id: 'queue' });
  await until(() => provider.requests.length === 2);
  const waiting = await background({ user_prompt: 'second', thread_id: 'queue' });
  expect((await call('GET', `/runs/${waiting}`)).body).toMatchObject({ status: 'queued', started_at: null });
  expect((await call('POST', `/runs/${waiting}/cancel`)).body.status).toBe('cancelled');
  const [running] = (await call('GET', '/threads/queue/runs?limit=2')).body.runs.slice(1);
  expect((await call('POST', `/runs/${running.run_id}/cancel`)).status).toBe(200);
  expect((await first).body.error_code).toBe('RUN_CANCELLED');
  gate.resolve();
  expect(provider.requests).toHaveLength(2);
});

test('the partial text is among the messages, and later model calls do not contain it', async () => {
  const answer = Promise.withResolvers<Response>();
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const delta = { choices: [{ index: 0, delta: { content: 'So far' }, finish_reason: null }] };
  const body = new ReadableStream({
    start: (out) =>
      out.enqueue(new TextEncoder().encode(`data: ${JSON.stringify({ ...head, ...delta })}\n\n`)),
  });
  provider.script = echoing({ answer: () => answer.promise });
  const run = await background({ user_prompt: 'partly', thread_id: 'partial' });
  const events = allEvents(await service.fetch(`/api/v1/runs/${run}/stream`));
  answer.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  await until(async () => {
    const { agents } = (await call('GET', `/runs/${run}`)).body;
    return agents.length === 2;
  });
  await Bun.sleep(50);
  const { message_id } = (await call('POST', `/runs/${run}/cancel`)).body;
  expect((await events).some(({ data }) => data.text === 'So far')).toBe(true);
  const { messages } = (await call('GET', '/threads/partial/messages')).body;
  expect(messages).toMatchObject([
    { role: 'user', content: 'partly', status: 'cancelled' },
    { message_id, role: 'assistant', content: 'So far', status: 'cancelled', run_id: run },
  ]);
  expect((await call('GET', '/threads/partial')).body.message_count).toBe(2);
  provider.script = echoing();
  await service.chat({ user_prompt: 'next', thread_id: 'partial' });
  expect(conversationOf(provider.requests.at(-1) ?? { model: '', messages: [] })).toEqual(['next']);
});

test('an interrupted one loses its question, and the head before it remains', async () => {
  await service.chat({ user_prompt: 'first', thread_id: 'asked' });
  const { body } = await service.chat({
    user_prompt: 'dropped',
    thread_id: 'asked',
    conversation_flow: 'asking',
  });
  expect((await call('POST', `/runs/${body.run_id}/cancel`)).body.status).toBe('cancelled');
  expect((await call('GET', '/threads/asked')).body).toMatchObject({ status: 'idle', interrupt: null });
  await service.chat({ user_prompt: 'next', thread_id: 'asked' });
  expect(conversationOf(provider.requests.at(-1) ?? { model: '', messages: [] })).toEqual([
    'first',
    're: first',
    'next',
  ]);
});

test('cancelling an interrupted run is safe while an answer arrives', async () => {
  const { body } = await service.chat({
    user_prompt: 'x',
    thread_id: 'answering',
    conversation_flow: 'asking',
  });
  provider.script = echoing({ answer: () => new Promise(() => {}) });
  const answering = call('POST', '/threads/answering/resume', { value: 'yes' });
  await until(() => provider.requests.length === 1);
  expect((await call('POST', `/runs/${body.run_id}/cancel`)).body.status).toBe('cancelled');
  expect((await answering).body.error_code).toBe('RUN_CANCELLED');
  expect((await call('GET', '/threads/answering')).body).toMatchObject({ status: 'idle', interrupt: null });
});

test('a finished one is unchanged, and an unknown one is not found', async () => {
  const { body } = await service.chat({ user_prompt: 'done' });
  const before = await call('GET', `/runs/${body.run_id}`);
  expect(await call('POST', `/runs/${body.run_id}/cancel`)).toEqual(before);
  expect(before.body.status).toBe('succeeded');
  expect((await call('POST', '/runs/nope/cancel')).body.error_code).toBe('RUN_NOT_FOUND');
});
