/** `chatModel()` in an agent of the package `langchain`: its calls are the run's, and are counted once. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { tokensOf } from '../../support/events.ts';
import type { ChatRequest } from '../../support/provider.ts';
import { recorded, type ServedGraph, servedGraph, toolsOf } from './served.ts';

let graph: ServedGraph;
beforeAll(async () => {
  graph = await servedGraph('own-model');
});
afterAll(() => graph.close());

/** The tool with which `langchain` requests a structured response. */
const nameOfExtract = ({ tools = [] }: ChatRequest): string =>
  tools.find(({ function: { name } }) => name.startsWith('extract-'))?.function.name ?? 'none';

const ADD = { add: { a: 1, b: 2 } };

test('it calls tools and streams its text, and each call is in the record once', async () => {
  graph.answers(ADD, 'It is 3.');
  const events = await graph.streamed({ user_prompt: 'Add 1 and 2', thread_id: 'sums' });
  expect(toolsOf(events)).toEqual([['add', 'finished', '3']]);
  expect(tokensOf(events, 'model_request')).toBe('It is 3.');
  expect(events.filter(({ event }) => event === 'token')).toHaveLength(1);
  const response = events.find(({ event }) => event === 'response')?.data;
  expect(response).toMatchObject({ agent_response: 'It is 3.', token_count: 60, model: 'test-model' });
  const run = await graph.run(response.run_id);
  expect(run.usage).toEqual({ input_tokens: 40, output_tokens: 20 });
  expect(recorded(run).filter((line) => line.startsWith('model_request'))).toEqual([
    'model_request 1 finished 30',
    'model_request 2 finished 30',
  ]);
  const calls = run.agents.flatMap((agent: { calls: object[] }) => agent.calls);
  expect(calls).toHaveLength(2);
  expect(calls[0]).toMatchObject({ model: 'test-model', input_tokens: 20, output_tokens: 10, attempt: 1 });
  expect(graph.requests.slice(-2).map(({ temperature, tools }) => [temperature, tools?.length])).toEqual([
    [0, 2],
    [0, 2],
  ]);
});

test('a turn as JSON continues the conversation', async () => {
  graph.answers('You are welcome.');
  const { agent_response, token_count } = await graph.turn({ user_prompt: 'Thanks', thread_id: 'sums' });
  expect({ agent_response, token_count }).toEqual({ agent_response: 'You are welcome.', token_count: 30 });
  expect(graph.requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
  ]);
});

test.each(['provider', 'tool'])('its response has the requested structure, by the %s', async (strategy) => {
  if (strategy === 'provider') graph.answers(ADD, '{"sum": 3}');
  else graph.answers(ADD, (request) => ({ [nameOfExtract(request)]: { sum: 3 } }));
  const body = { user_prompt: 'Add 1 and 2', configurable: { strategy } };
  const { values, token_count, run_id } = await graph.turn(body);
  expect(values.structuredResponse).toEqual({ sum: 3 });
  expect(token_count).toBe(60);
  expect((await graph.run(run_id)).usage).toEqual({ input_tokens: 40, output_tokens: 20 });
});

test('two of its tool calls ask at the same time, and are answered one after the other', async () => {
  graph.answers({ ask: [{ what: 'colour' }, { what: 'size' }] });
  const interrupted = await graph.turn({ user_prompt: 'Order a bike', thread_id: 'order' });
  const [colour, size] = interrupted.interrupts;
  expect([colour, size]).toMatchObject([
    { value: { what: 'colour' }, agent: 'tools', path: [] },
    { value: { what: 'size' }, agent: 'tools', path: [] },
  ]);
  const half = await graph.resume('order', { values: { [size.interrupt_id]: 'large' } });
  expect(half).toMatchObject({ event_type: 'interrupt', interrupts: [colour], token_count: 30 });
  graph.answers('It is ordered.');
  const ordered = await graph.resume('order', { values: { [colour.interrupt_id]: 'red' } });
  expect(ordered).toMatchObject({ agent_response: 'It is ordered.', token_count: 60 });
  expect(
    graph.requests
      .at(-1)
      ?.messages.slice(-2)
      .map(({ content }) => content),
  ).toEqual(['colour: red', 'size: large']);
});

test('a call that would exceed the budget is not made', async () => {
  graph.answers('never asked');
  const before = graph.requests.length;
  const refused = await graph.turn({ user_prompt: 'Add 1 and 2', max_tokens_budget: 40 });
  expect(refused.error_code).toBe('BUDGET_EXCEEDED');
  expect(graph.requests).toHaveLength(before);
});
