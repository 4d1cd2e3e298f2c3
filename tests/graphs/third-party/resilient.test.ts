/** An agent of the package `langchain` that catches failures of its model and its tool by itself. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ServedGraph, servedGraph, toolsOf } from './served.ts';

let graph: ServedGraph;
beforeAll(async () => {
  graph = await servedGraph('resilient');
});
afterAll(() => graph.close());

test('the failure is in the events and the record, and the turn succeeds', async () => {
  const todos = [{ content: 'Ask for bikes', status: 'in_progress' }];
  graph.answers(500, { stock: { item: 'bikes' }, write_todos: { todos } }, 'There are 12.');
  const events = await graph.streamed({ user_prompt: 'How many bikes?' });
  const tools = toolsOf(events);
  expect(tools.filter(([name]) => name === 'stock')).toEqual([
    ['stock', 'failed', 'the stock is being counted'],
    ['stock', 'finished', '12 of bikes'],
  ]);
  expect(tools).toContainEqual(['write_todos', 'finished', expect.stringContaining('Ask for bikes')]);
  const response = events.find(({ event }) => event === 'response')?.data;
  expect(response).toMatchObject({ agent_response: 'There are 12.', token_count: 60, values: { todos } });
  const { status, agents } = await graph.run(response.run_id);
  expect(status).toBe('succeeded');
  const calls = agents.flatMap((agent: { calls: { model: string; error_code?: string }[] }) => agent.calls);
  expect(calls.map(({ model, error_code }: (typeof calls)[number]) => [model, error_code])).toEqual([
    ['gpt-4o-mini', 'MODEL_CALL_FAILED'],
    ['backup', undefined],
    ['gpt-4o-mini', undefined],
  ]);
});
