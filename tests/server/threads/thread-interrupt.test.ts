/** An interrupted thread: read, listed, forked and deleted. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type TestService, testService } from '../../support/service.ts';
import { callsOf } from '../support/thread-calls.ts';

const ASKING = `
const State = Annotation.Root({ ...Conversation.spec, steps: Annotation({ reducer: (a, b) => {
  if (typeof b !== 'number') throw new Error('canary');
  return a + b;
}, default: () => 0 }) });
export default workflow({
  description: 'Asks.', example: 'Hello', agents: () => [{ name: 'plan', description: 'P' }, { name: 'ask', description: 'A' }],
  build: ({ agent }) => new StateGraph(State)
    .addNode('plan', agent('plan', async () => ({ content: 'planned', update: { steps: 1 } })))
    .addNode('ask', agent('ask', async (state) => {
      const { text } = state.messages.at(-1);
      const answer = text === 'plain' ? 'none' : interrupt({ question: 'Really?' });
      return { content: 'asked ' + answer + ' at ' + state.steps };
    }))
    .addEdge(START, 'plan').addEdge('plan', 'ask').addEdge('ask', END),
});`;

let service: TestService;
beforeAll(async () => {
  service = await testService({ graphs: { asking: ASKING } });
});
afterAll(() => service.close());

const call = (method: string, path: string, body?: unknown) => callsOf(service)(method, path, body);
const ask = (thread_id: string, user_prompt = 'hello') =>
  service.chat({ user_prompt, thread_id, conversation_flow: 'asking' });

test('it has its interrupt, and is found by its status', async () => {
  const { body } = await ask('waits');
  expect(body.event_type).toBe('interrupt');
  const thread = (await call('GET', '/threads/waits')).body;
  expect(thread).toMatchObject({ status: 'interrupted', message_count: 0, interrupt: body.interrupt });
  expect(thread.interrupt).toMatchObject({ value: { question: 'Really?' } });
  const found = (await call('GET', '/threads?status=interrupted&workflow=asking')).body.threads;
  expect(found.map(({ thread_id }: { thread_id: string }) => thread_id)).toEqual(['waits']);
  expect((await call('GET', '/runs?status=interrupted')).body.runs[0]).toMatchObject({
    run_id: body.run_id,
    status: 'interrupted',
    error: null,
  });
  const [head] = (await call('GET', '/threads/waits/checkpoints')).body.checkpoints;
  expect(head).toMatchObject({ next: ['ask'], agent: 'plan' });
});

test('its fork is idle and accepts turns, with the question in its conversation', async () => {
  await ask('forked', 'plain');
  await ask('forked');
  const { status, body } = await call('POST', '/threads/forked/fork', {});
  expect({ status, state: body.status, interrupt: body.interrupt, count: body.message_count }).toEqual({
    status: 201,
    state: 'idle',
    interrupt: null,
    count: 3,
  });
  const { messages } = (await call('GET', `/threads/${body.thread_id}/messages`)).body;
  expect(messages.map(({ content }: { content: string }) => content)).toEqual([
    'plain',
    'plan: planned\n\nask: asked none at 1',
    'hello',
  ]);
  expect((await ask(body.thread_id, 'plain')).body.agent_response).toBe(
    'plan: planned\n\nask: asked none at 3',
  );
  expect((await call('GET', '/threads/forked')).body.status).toBe('interrupted');
});

test('a value is merged by its reducer, and one that the reducer rejects is reported by name', async () => {
  await ask('values', 'plain');
  const forked = await call('POST', '/threads/values/fork', { values: { steps: 10 } });
  expect(forked.status).toBe(201);
  expect((await ask(forked.body.thread_id, 'plain')).body.agent_response).toEndWith('at 12');
  const refused = await call('POST', '/threads/values/fork', { values: { steps: 'two' } });
  expect(refused.body).toMatchObject({
    error_code: 'INVALID_REQUEST',
    detail: "values.steps: the channel's reducer rejects the value",
  });
});

test('it is deleted like any other', async () => {
  await ask('deleted');
  expect((await call('DELETE', '/threads/deleted')).status).toBe(204);
  expect((await ask('deleted', 'plain')).body.event_type).toBeNull();
});

test('a fork with values starts from any checkpoint, also of a thread that has changed its workflow', async () => {
  await service.chat({ user_prompt: 'first', thread_id: 'changed' });
  await ask('changed', 'plain');
  const { checkpoints } = (await call('GET', '/threads/changed/checkpoints?limit=100')).body;
  const made = checkpoints.map(async ({ checkpoint_id }: { checkpoint_id: string }) => {
    const fork = await call('POST', '/threads/changed/fork', { checkpoint_id, values: { summary: 'S' } });
    const again = await call('POST', `/threads/${fork.body.thread_id}/fork`, { values: { summary: 'T' } });
    const turn = await ask(again.body.thread_id, 'plain');
    return [fork.status, again.status, turn.status];
  });
  expect(checkpoints.length).toBeGreaterThan(6);
  for (const statuses of await Promise.all(made)) expect(statuses).toEqual([201, 201, 200]);
});
