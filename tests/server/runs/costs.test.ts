/** The costs of runs if models have prices: in responses, events, records and metrics, also for the models of graphs. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ServedProject, serveProject } from '../../graphs/adopted/project.ts';
import { allEvents } from '../../support/events.ts';
import { chunk, eventStream, USAGE } from '../../support/provider.ts';
import { echoing } from '../support/calls.ts';
import { runningProvider, runningService } from '../support/running.ts';

const CONFIG = `
models:
  - model: test-model
    price: {input: 1, output: 10, cached_input: 0.25}
`;
const provider = runningProvider();
const service = runningService(provider, CONFIG);
const free = runningService(provider);

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
type Body = any;

// 20 input and 10 output tokens.
const CALL = 0.00012;
const CALLS = 0.00024;

/** An answer with `cached` of its 20 input tokens from the cache. */
function cachedAnswer(cached: number): () => Response {
  const head = { id: 'cached', created: 1, model: 'test-model' };
  const usage = { ...USAGE, prompt_tokens_details: { cached_tokens: cached } };
  const usageChunk = { choices: [{ index: 0, delta: { content: 'Fine.' }, finish_reason: 'stop' }], usage };
  return () => eventStream(`${chunk(head, usageChunk)}data: [DONE]\n\n`);
}

test('a response, its events, the run and its calls have their cost', async () => {
  const response = await service.fetch('/api/v1/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      conversation_flow: 'classification-agent',
      user_prompt: 'My bike broke.',
      stream: true,
    }),
  });
  const events = await allEvents(response);
  const answer = events.find(({ event }) => event === 'response')?.data;
  expect(answer.usage).toEqual({ input_tokens: 40, output_tokens: 20, cost: CALLS });
  const agents = events.filter(({ event, data }) => event === 'agent' && data.state === 'finished');
  expect(agents.map(({ data }) => data.usage.cost)).toEqual([CALL, CALL]);
  const read = async (path: string): Promise<Body> =>
    (await service.fetch(`/api/v1/runs/${answer.run_id}${path}`)).json();
  const run = await read('');
  expect(run.usage).toEqual({ input_tokens: 40, output_tokens: 20, cost: CALLS });
  expect(run.agents.map(({ usage, calls }: Body) => [usage.cost, calls[0].cost])).toEqual([
    [CALL, CALL],
    [CALL, CALL],
  ]);
  const { calls } = await read('/calls');
  expect(calls.map(({ usage }: Body) => usage.cost)).toEqual([CALL, CALL]);
});

test('cached input has its own price', async () => {
  provider.script = echoing({ answer: cachedAnswer(16) });
  const { body } = await service.chat({ user_prompt: 'My bike broke.' });
  // 4 tokens at the input price, 16 at the cached price, and 10 output tokens.
  expect(body.usage.cost).toBeCloseTo(CALL + 0.000108, 12);
});

test('a thread has the cost of all its runs', async () => {
  const thread_id = 'costly';
  await service.chat({ user_prompt: 'My bike broke.', thread_id });
  await service.chat({ user_prompt: 'Again.', thread_id });
  const read = async (from: typeof service): Promise<Body> =>
    (await from.fetch(`/api/v1/threads/${thread_id}`)).json();
  expect((await read(service)).usage).toEqual({ input_tokens: 80, output_tokens: 40, cost: 0.00048 });
  await free.chat({ user_prompt: 'My bike broke.', thread_id });
  expect(await read(free)).not.toHaveProperty('usage');
});

test('the metrics have the cost of each workflow and model', async () => {
  const text = await (await service.fetch('/metrics')).text();
  const line = text.split('\n').find((one) => one.startsWith('skein_cost_total{'));
  expect(line).toStartWith('skein_cost_total{workflow="classification-agent",model="test-model"} 0.000');
});

test('without prices, there are no costs', async () => {
  const { body } = await free.chat({ user_prompt: 'My bike broke.' });
  expect(body).not.toHaveProperty('usage');
  const run: Body = await (await free.fetch(`/api/v1/runs/${body.run_id}`)).json();
  expect(run.usage).toEqual({ input_tokens: 40, output_tokens: 20 });
  expect(await (await free.fetch('/metrics')).text()).not.toContain('skein_cost_total{');
});

const OWN_MODEL = `
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
const model = new ChatOpenAI({ model: 'gpt-4o-mini', maxRetries: 0 });
export default new StateGraph(MessagesAnnotation)
  .addNode('one', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, 'one').compile();`;

let project: ServedProject;
beforeAll(async () => {
  const priced = 'base_url: http://127.0.0.1:9/v1, price: {input: 1, output: 10, cached_input: 0.25}';
  const config = `models: [{model: gpt-4o-mini, ${priced}}]`;
  project = await serveProject({ 'own-model': OWN_MODEL }, { config });
});
afterAll(() => project.close());

test("calls of a graph's own model have a price if a model with that name is configured", async () => {
  const usage = { ...USAGE, prompt_tokens_details: { cached_tokens: 16 } };
  project.provider.script = () =>
    Response.json({
      ...{ id: 'own', object: 'chat.completion', created: 1, model: 'gpt-4o-mini-2024-07-18', usage },
      choices: [{ index: 0, message: { role: 'assistant', content: 'Fine.' }, finish_reason: 'stop' }],
    });
  const { body } = await project.service.chat({ conversation_flow: 'own-model', user_prompt: 'Hello' });
  expect(body.agent_response).toBe('Fine.');
  expect(body.usage).toEqual({ input_tokens: 20, output_tokens: 10, cost: 0.000108 });
});
