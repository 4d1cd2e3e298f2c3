/** A typical supervisor of `@langchain/langgraph-supervisor`. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { recorded, type ServedGraph, servedGraph, toolsOf, work } from './served.ts';

let graph: ServedGraph;
beforeAll(async () => {
  graph = await servedGraph('supervisor');
});
afterAll(() => graph.close());

test('the supervisor hands over to an agent, which uses its tool, and has the last word', async () => {
  graph.answers(
    { transfer_to_researcher: {} },
    { look_up: { what: 'bikes' } },
    'There are 12.',
    'We have 12.',
  );
  const { agent_response, outputs, token_count, model, values, run_id } = await graph.turn({
    user_prompt: 'How many bikes?',
    thread_id: 'bikes',
  });
  expect({ agent_response, token_count, model }).toEqual({
    agent_response: 'We have 12.',
    token_count: 120,
    model: 'gpt-4o-mini',
  });
  expect(outputs).toEqual([
    { agent: 'supervisor', content: '', data: null },
    { agent: 'researcher', content: 'Transferring back to supervisor', data: null },
    { agent: 'supervisor', content: 'We have 12.', data: null },
  ]);
  expect(values.messages.map(({ role, name }: { role: string; name?: string }) => [role, name])).toEqual([
    ['user', undefined],
    ['assistant', 'supervisor'],
    ['tool', 'transfer_to_researcher'],
    ['assistant', 'researcher'],
    ['assistant', 'researcher'],
    ['tool', 'transfer_back_to_supervisor'],
    ['assistant', 'supervisor'],
  ]);
  const run = await graph.run(run_id);
  expect(run).toMatchObject({ status: 'succeeded', usage: { input_tokens: 80, output_tokens: 40 } });
  // The supervisor's `tools` ends with the handover to a node of its parent, for which LangGraph itself sends no event.
  expect(recorded(run)).toEqual([
    'supervisor 1 finished 0',
    'supervisor/agent 1 finished 30',
    'supervisor/tools 1 finished 0',
    'researcher 1 finished 0',
    'researcher/agent 1 finished 30',
    'researcher/tools 1 finished 0',
    'researcher/agent 2 finished 30',
    'supervisor 2 finished 0',
    'supervisor/agent 2 finished 30',
  ]);
});

test('a second turn on the thread sees the first one, and streams what each agent does', async () => {
  graph.answers({ transfer_to_mathematician: {} }, { add: { a: 12, b: 3 } }, 'It is 15.', 'Then we have 15.');
  const events = await graph.streamed({ user_prompt: 'And 3 more?', thread_id: 'bikes' });
  expect(work(events, 'finished')).toEqual([
    'supervisor/agent 1',
    'supervisor/tools 1',
    'supervisor 1',
    'mathematician/agent 1',
    'mathematician/tools 1',
    'mathematician/agent 2',
    'mathematician 1',
    'supervisor/agent 2',
    'supervisor 2',
  ]);
  expect(work(events, 'started').toSorted()).toEqual(work(events, 'finished').toSorted());
  expect(toolsOf(events)).toEqual([
    ['transfer_to_mathematician', 'finished', 'Successfully transferred to mathematician'],
    ['add', 'finished', '15'],
  ]);
  const said = events.flatMap(({ event, data }) => (event === 'token' ? [[data.agent, data.text]] : []));
  expect(said).toEqual([
    ['agent', 'It is 15.'],
    ['mathematician', 'Transferring back to supervisor'],
    ['agent', 'Then we have 15.'],
  ]);
  expect(graph.requests.at(-1)?.messages.map(({ content }) => content)).toContain('How many bikes?');
});
