/** A typical agent of the package `langchain` with three of its middlewares. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { tokensOf } from '../../support/events.ts';
import { recorded, type ServedGraph, servedGraph, toolsOf, work } from './served.ts';

let graph: ServedGraph;
beforeAll(async () => {
  graph = await servedGraph('agent');
});
afterAll(() => graph.close());

const LETTER = { send_letter: { to: 'Ann', text: 'Hello' } };

test('it asks a person before it calls the tool, and streams what follows the answer', async () => {
  graph.answers(LETTER);
  const interrupted = await graph.turn({ user_prompt: 'Write to Ann', thread_id: 'letters' });
  expect(interrupted).toMatchObject({ event_type: 'interrupt', token_count: 30 });
  expect(interrupted.interrupts).toEqual([
    {
      interrupt_id: expect.any(String),
      agent: 'HumanInTheLoopMiddleware.after_model',
      path: [],
      value: {
        actionRequests: [
          { name: 'send_letter', args: LETTER.send_letter, description: expect.stringContaining('Ann') },
        ],
        reviewConfigs: [{ actionName: 'send_letter', allowedDecisions: ['approve', 'edit', 'reject'] }],
      },
    },
  ]);

  graph.answers('It is sent.');
  const editedAction = { name: 'send_letter', args: { to: 'Bob', text: 'Hi' } };
  const events = await graph.resumeStreamed('letters', {
    value: { decisions: [{ type: 'edit', editedAction }] },
  });
  expect(toolsOf(events)).toEqual([['send_letter', 'finished', 'Sent to Bob: Hi']]);
  expect(work(events, 'finished')).toEqual([
    'HumanInTheLoopMiddleware.after_model 1',
    'tools 1',
    'SummarizationMiddleware.before_model 1',
    'ModelCallLimitMiddleware.before_model 1',
    'model_request 1',
    'ModelCallLimitMiddleware.after_model 1',
    'HumanInTheLoopMiddleware.after_model 2',
    'ModelCallLimitMiddleware.after_agent 1',
  ]);
  expect(tokensOf(events, 'model_request')).toBe('It is sent.');
  const response = events.find(({ event }) => event === 'response')?.data;
  expect(response).toMatchObject({ agent_response: 'It is sent.', token_count: 60, model: 'gpt-4o-mini' });
  expect(response.values.threadModelCallCount).toBe(2);
  const run = await graph.run(response.run_id);
  expect(run).toMatchObject({ status: 'succeeded', usage: { input_tokens: 20, output_tokens: 10 } });
  expect(recorded(run)).toContain('model_request 1 finished 30');
});

test("the model gets a person's rejection", async () => {
  graph.answers(LETTER);
  await graph.turn({ user_prompt: 'Write again', thread_id: 'letters' });
  graph.answers('As you like.');
  const { agent_response } = await graph.resume('letters', {
    value: { decisions: [{ type: 'reject', message: 'Not today' }] },
  });
  expect(agent_response).toBe('As you like.');
  expect(graph.requests.at(-1)?.messages.at(-1)?.content).toBe('Not today');
});

test('a long conversation is summarized, and continues in the next turn', async () => {
  graph.answers('They wrote letters.', 'Yes.');
  const events = await graph.streamed({ user_prompt: 'Was that all?', thread_id: 'letters' });
  expect(tokensOf(events, 'model_request')).toBe('Yes.');
  const summed = events.find(({ event }) => event === 'response')?.data;
  expect(summed).toMatchObject({ agent_response: 'Yes.', token_count: 60 });
  const texts = summed.values.messages.map(({ content }: { content: string }) => content);
  expect(texts).toEqual([
    expect.stringContaining('They wrote letters.'),
    'As you like.',
    'Was that all?',
    'Yes.',
  ]);
  graph.answers('You are welcome.');
  const { values, outputs } = await graph.turn({ user_prompt: 'Thanks', thread_id: 'letters' });
  expect(values.messages).toHaveLength(6);
  expect(outputs).toContainEqual({ agent: 'model_request', content: 'You are welcome.', data: null });
  expect(graph.requests.at(-1)?.messages[1]?.content).toContain('They wrote letters.');
});

test('it ends when the limit of model calls is reached', async () => {
  const weather = { weather: { city: 'Bonn' } };
  graph.answers(weather, weather, weather);
  const { agent_response, token_count, values } = await graph.turn({ user_prompt: 'How is it?' });
  expect(agent_response).toContain('Model call limits exceeded');
  expect(token_count).toBe(90);
  expect(values.messages.at(-1).role).toBe('assistant');
});

test('a rejection by the model provider is reported with its message, and leaves nothing on the thread', async () => {
  graph.answers(401);
  const refused = await graph.turn({ user_prompt: 'Lost', thread_id: 'refused' });
  expect(refused).toMatchObject({
    error_code: 'MODEL_CALL_FAILED',
    detail: 'the provider answered 401: provider canary',
  });
  graph.answers('Hello.');
  const { values } = await graph.turn({ user_prompt: 'Again', thread_id: 'refused' });
  expect(values.messages).toHaveLength(2);
});
