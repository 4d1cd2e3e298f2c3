/** A swarm of `@langchain/langgraph-swarm`, compiled with its own saver. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { recorded, type ServedGraph, servedGraph, toolsOf, work } from './served.ts';

let graph: ServedGraph;
beforeAll(async () => {
  graph = await servedGraph('swarm');
});
afterAll(() => graph.close());

test('an agent hands over to another, whose tool asks a person', async () => {
  graph.answers({ transfer_to_bob: {} }, { refund: { order: 'o1' } });
  const events = await graph.streamed({ user_prompt: 'Refund o1', thread_id: 'o1' });
  expect(events.find(({ event }) => event === 'interrupt')?.data.value).toEqual({ refund: 'o1' });
  const response = events.find(({ event }) => event === 'response')?.data;
  expect(response).toMatchObject({
    event_type: 'interrupt',
    interrupts: [{ value: { refund: 'o1' }, agent: 'tools', path: ['bob'] }],
    values: { activeAgent: 'bob' },
  });
  expect(toolsOf(events)).toEqual([['transfer_to_bob', 'finished', 'Successfully transferred to bob']]);
  expect(work(events, 'finished')).toEqual(['alice/agent 1', 'alice/tools 1', 'alice 1', 'bob/agent 1']);
  expect(recorded(await graph.run(response.run_id))).toEqual([
    'alice 1 finished 0',
    'alice/agent 1 finished 30',
    'alice/tools 1 finished 0',
    'bob 1 started 0',
    'bob/agent 1 finished 30',
    'bob/tools 1 started 0',
  ]);

  graph.answers('It is refunded.');
  const answered = await graph.resume('o1', { value: { approved: true } });
  expect(answered).toMatchObject({
    event_type: null,
    agent_response: 'It is refunded.',
    token_count: 90,
    interrupts: [],
  });
  expect(graph.requests.at(-1)?.messages.at(-1)?.content).toBe('o1 is refunded');
  expect(recorded(await graph.run(answered.run_id))).toEqual([
    'bob 1 finished 0',
    'bob/tools 1 finished 0',
    'bob/agent 1 finished 30',
  ]);
});

test('the next turn starts with the agent that ended the last one', async () => {
  graph.answers('Anything else?');
  const { outputs, values } = await graph.turn({ user_prompt: 'Thanks', thread_id: 'o1' });
  expect(outputs).toEqual([{ agent: 'bob', content: 'Anything else?', data: null }]);
  expect(values.activeAgent).toBe('bob');
  expect(graph.requests.at(-1)?.messages[0]?.content).toBe('You are Bob.');
});

test('its agents are listed', async () => {
  const status = await (await graph.service.fetch('/api/v1/workflow-status/swarm')).json();
  expect(status).toMatchObject({ configured: true, agents: [{ name: 'alice' }, { name: 'bob' }] });
});
