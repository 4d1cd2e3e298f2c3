/** LangChain's models and tools that an `agent()` calls are counted and reported as the agent's own. */
import { expect, test } from 'bun:test';
import { runningProvider, runningService } from '../../server/support/running.ts';
import { allEvents } from '../../support/events.ts';

const provider = runningProvider();
const OWN = `
const { ChatOpenAI } = await import(${JSON.stringify(import.meta.resolve('@langchain/openai'))});
const { tool } = await import(${JSON.stringify(import.meta.resolve('@langchain/core/tools'))});
const { z } = await import(${JSON.stringify(import.meta.resolve('zod'))});
const own = new ChatOpenAI({ model: 'own-model', apiKey: 'none', configuration: { baseURL: '${provider.url}/v1' } });
const add = tool(({ a, b }) => String(a + b), { name: 'add', description: 'Adds', schema: z.object({ a: z.number(), b: z.number() }) });
export default workflow({
  description: 'Asks a model of its own.', example: 'Hello', agents: () => [{ name: 'asker', description: 'Asks' }],
  build: ({ agent }) => new StateGraph(Conversation)
    .addNode('asker', agent('asker', async () => {
      const sum = await add.invoke({ a: 1, b: 2 });
      return { content: (await own.invoke('hello')).text + ' ' + sum };
    }))
    .addEdge(START, 'asker').addEdge('asker', END),
});`;

/** An agent, and a node that is not an agent. */
const PLAIN = `
const { ChatOpenAI } = await import(${JSON.stringify(import.meta.resolve('@langchain/openai'))});
const own = new ChatOpenAI({ model: 'own-model', apiKey: 'none', configuration: { baseURL: '${provider.url}/v1' } });
export default workflow({
  description: 'Has a node that is no agent.', example: 'Hello', agents: () => [{ name: 'asker', description: 'Asks' }],
  build: ({ agent }) => new StateGraph(Conversation)
    .addNode('prepare', async () => ({ summary: (await own.invoke('before')).text }))
    .addNode('asker', agent('asker', async ({ summary }) => ({ content: summary })))
    .addEdge(START, 'prepare').addEdge('prepare', 'asker').addEdge('asker', END),
});`;

/** Nodes that are not agents but call one, of the same name and of another. */
const WRAPPED = `
const { ChatOpenAI } = await import(${JSON.stringify(import.meta.resolve('@langchain/openai'))});
const own = new ChatOpenAI({ model: 'own-model', apiKey: 'none', configuration: { baseURL: '${provider.url}/v1' } });
export default workflow({
  description: 'Has nodes around its agents.', example: 'Hello', agents: () => [{ name: 'asker', description: 'Asks' }],
  build: ({ agent }) => {
    const ask = agent('asker', async (state, { answer }) => ({ content: (await own.invoke('own')).text + (await answer('sys')).content }));
    return new StateGraph(Conversation)
      .addNode('asker', async (state, config) => ask(state, config))
      .addNode('around', async (state, config) => ask(state, config))
      .addEdge(START, 'asker').addEdge('asker', 'around').addEdge('around', END);
  },
});`;

const service = runningService(provider, '', { own: OWN, plain: PLAIN, wrapped: WRAPPED });

test("the calls of a LangChain model and tool are in the agent's record and tokens", async () => {
  const { body } = await service.chat({ conversation_flow: 'own', user_prompt: 'hi' });
  expect(body).toMatchObject({ agent_response: 're: hello 3', token_count: 30 });
  const run = (await (await service.fetch(`/api/v1/runs/${body.run_id}`)).json()) as { agents: object[] };
  expect(run.agents).toMatchObject([
    {
      agent: 'asker',
      usage: { input_tokens: 20, output_tokens: 10 },
      calls: [{ model: 'own-model', task: 'chat', input_tokens: 20 }],
      tools: [{ tool: 'add', state: 'finished' }],
    },
  ]);
});

test('a budget stops a call of such a model before it is made', async () => {
  const request = { conversation_flow: 'own', user_prompt: 'hi', max_tokens_budget: 1 };
  const { status, body } = await service.chat(request);
  expect([status, body.error_code]).toEqual([500, 'BUDGET_EXCEEDED']);
  expect(provider.requests).toHaveLength(0);
});

test('they are streamed as they happen', async () => {
  const response = await service.fetch('/api/v1/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ conversation_flow: 'own', user_prompt: 'hi', stream: true }),
  });
  const events = await allEvents(response);
  expect(events.map(({ event, data }) => [event, data.agent, data.state ?? data.text])).toEqual([
    ['run', undefined, undefined],
    ['agent', 'asker', 'started'],
    ['tool', 'asker', 'started'],
    ['tool', 'asker', 'finished'],
    ['token', 'asker', 're: hello'],
    ['agent', 'asker', 'finished'],
    ['response', undefined, undefined],
    ['end', undefined, undefined],
  ]);
});

test("a node that is not an agent is in the record, and its model's usage counts", async () => {
  const { body } = await service.chat({ conversation_flow: 'plain', user_prompt: 'hi' });
  expect(body).toMatchObject({ agent_response: 're: before', token_count: 30 });
  const run = (await (await service.fetch(`/api/v1/runs/${body.run_id}`)).json()) as { agents: object[] };
  expect(run.agents).toMatchObject([
    { agent: 'prepare', state: 'finished', calls: [{ model: 'own-model' }] },
    { agent: 'asker', state: 'finished', calls: [] },
  ]);
});

test('an agent that another function calls is reported and counted once', async () => {
  const { body } = await service.chat({ conversation_flow: 'wrapped', user_prompt: 'hi' });
  expect(body.token_count).toBe(120);
  const run = (await (await service.fetch(`/api/v1/runs/${body.run_id}`)).json()) as {
    agents: { calls: { model: string }[] }[];
  };
  const asker = { agent: 'asker', state: 'finished' };
  expect(run.agents).toMatchObject([
    { ...asker, execution: 1 },
    { ...asker, execution: 2 },
  ]);
  for (const { calls } of run.agents)
    expect(calls.map(({ model }) => model)).toEqual(['own-model', 'test-model']);
  const response = await service.fetch(`/api/v1/runs/${body.run_id}/stream`);
  const events = (await allEvents(response)).filter(({ event }) => event === 'agent');
  expect(events.map(({ data }) => `${data.agent} ${data.state}`)).toEqual([
    'asker started',
    'asker finished',
    'around started',
    'around finished',
    'asker started',
    'asker finished',
  ]);
});
