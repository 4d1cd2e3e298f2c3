/** A workflow as an agent of AG-UI's own client. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { HttpAgent, type RunAgentParameters } from '@ag-ui/client';
import type { Event, Message } from '@ag-ui/core';
import { type ServedProject, serveProject } from '../../graphs/adopted/project.ts';
import { heldAnswer } from '../../studio/held-answer.ts';
import { GRAPHS } from '../ai-sdk/graphs.ts';
import { conversationOf, failure } from '../support/calls.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { until } from '../support/until.ts';

const COUNTER = `
const State = Annotation.Root({
  messages: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }),
  count: Annotation(),
  log: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }),
});
export default new StateGraph(State)
  .addNode('add', ({ count = 0 }) => ({ count: count + 1, log: ['was ' + count], messages: [new AIMessage('counted')] }))
  .addEdge(START, 'add').addEdge('add', END).compile();`;

const provider = runningProvider();
const service = runningService(provider, '', { ...GRAPHS, counter: COUNTER });

const agentOf = (workflow: string, threadId: string, url = service.url) =>
  new HttpAgent({ url: `${url}/ag-ui/${workflow}`, threadId });

async function run(agent: HttpAgent, input: string | RunAgentParameters): Promise<Event[]> {
  const events: Event[] = [];
  const onEvent = ({ event }: { event: unknown }) => void events.push(event as Event);
  if (typeof input === 'string') agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: input });
  await agent.runAgent(typeof input === 'string' ? {} : input, { onEvent });
  return events;
}

const textsOf = ({ messages }: { messages: Message[] }) =>
  messages.map(({ role, content }) => `${role}: ${content}`);
const statuses = async (id: string) => {
  const { runs } = (await (await service.fetch(`/api/v1/threads/${id}/runs`)).json()) as {
    runs: { run_id: string; status: string }[];
  };
  return runs.map(({ status }) => status);
};

test('a thread keeps its history, and the text of a run is between its start and its end', async () => {
  const agent = agentOf('echo', 'kept');
  await run(agent, 'one');
  const events = await run(agent, 'two');
  expect(textsOf(agent)).toEqual(['user: one', 'assistant: re: one', 'user: two', 'assistant: re: two']);
  expect(conversationOf(provider.requests.at(-1) ?? { model: '', messages: [] })).toEqual([
    'one',
    're: one',
    'two',
  ]);
  const types = events.map(({ type }) => String(type));
  expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
    ...['RUN_STARTED', 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END', 'RUN_FINISHED'],
  ]);
  expect(events.at(-1)).toMatchObject({
    ...{ threadId: 'kept', outcome: { type: 'success' } },
    usage: [{ inputTokens: 20, outputTokens: 10, model: 'test-model' }],
  });
});

test("a model's thinking is reasoning, and data of nodes are custom events", async () => {
  const held = heldAnswer();
  provider.script = () => held.reply;
  held.say({ reasoning_content: 'Hm.' });
  held.say('Hello');
  held.end();
  const agent = agentOf('echo', 'thinks');
  await run(agent, 'hi');
  expect(textsOf(agent)).toEqual(['user: hi', 'reasoning: Hm.', 'assistant: Hello']);
  const events = await run(agentOf('data', 'data'), 'go');
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'CUSTOM', name: 'custom', value: { step: 1 } }),
  );
});

test.each([
  ['yes', ['assistant: done']],
  ['no', []],
])('what a graph says before it asks is shown once, also if the answer is %s', async (payload, added) => {
  const agent = agentOf('planned', `planned-${payload}`);
  await run(agent, 'Delete it.');
  const before = ['user: Delete it.', 'assistant: I would delete it.'];
  expect(textsOf(agent)).toEqual(before);
  const resume = agent.pendingInterrupts.map(({ id: interruptId }) => ({
    ...{ interruptId, payload, status: 'resolved' as const },
  }));
  await run(agent, { resume });
  expect(textsOf(agent)).toEqual([...before, ...added]);
});

test('an interrupt ends the run, and the answer continues it', async () => {
  const agent = agentOf('pair', 'pair');
  await run(agent, 'Ask.');
  expect(agent.pendingInterrupts).toMatchObject([
    { reason: 'interrupt', metadata: { value: { from: 'left' }, agent: 'left' } },
    { reason: 'interrupt', metadata: { value: { from: 'right' }, agent: 'right' } },
  ]);
  const answers = agent.pendingInterrupts.map(({ id: interruptId }, payload) => ({
    ...{ interruptId, payload },
    status: 'resolved' as const,
  }));
  await run(agent, { resume: answers });
  expect(agent.pendingInterrupts).toEqual([]);
  expect(textsOf(agent).at(-1)).toContain('left: left 0');
  expect(textsOf(agent).at(-1)).toContain('right: right 1');
  const stopped = agentOf('stops', 'stops');
  await run(stopped, 'go');
  const [{ id: interruptId = '', reason } = {}] = stopped.pendingInterrupts;
  expect(reason).toBe('stopped');
  await run(stopped, { resume: [{ interruptId, status: 'resolved' }] });
  expect(textsOf(stopped).at(-1)).toBe('assistant: went on');
});

test('the state is that of the graph, and changes by the client are written to it', async () => {
  const agent = agentOf('counter', 'counter');
  await run(agent, 'go');
  expect(agent.state).toEqual({ count: 1, log: ['was 0'] });
  await run(agent, 'go');
  expect(agent.state).toEqual({ count: 2, log: ['was 0', 'was 1'] });
  agent.setState({ ...agent.state, count: 40 });
  await run(agent, 'go');
  expect(agent.state).toEqual({ count: 41, log: ['was 0', 'was 1', 'was 40'] });
});

test('a failed run says why, and a rejected one has its status', async () => {
  provider.script = () => failure(400);
  const events: Event[] = [];
  const onEvent = ({ event }: { event: unknown }) => void events.push(event as Event);
  const agent = agentOf('echo', 'fails');
  agent.addMessage({ id: 'm', role: 'user', content: 'one' });
  await agent.runAgent({}, { onEvent }).catch(() => {});
  expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'MODEL_CALL_FAILED' });
  await expect(run(agentOf('nothing', 'refused'), 'one')).rejects.toMatchObject({ status: 404 });
  await expect(run(agentOf('echo', 'empty'), ' ')).rejects.toMatchObject({ status: 400 });
});

test('a client that disconnects cancels its run', async () => {
  const held = heldAnswer();
  provider.script = () => held.reply;
  const agent = agentOf('echo', 'gone');
  const done = run(agent, 'hi').catch(() => {});
  await held.called;
  agent.abortRun();
  await done;
  await until(async () => (await statuses('gone'))[0] === 'cancelled');
});

let project: ServedProject;
beforeAll(async () => {
  project = await serveProject();
});
afterAll(() => project.close());

test('tool calls are messages before the text', async () => {
  const agent = agentOf('tools-agent', 'tools', project.service.url);
  await run(agent, 'How is the weather?');
  expect(agent.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', toolCalls: [{ function: { name: 'get_weather', arguments: '{"city":"Rome"}' } }] },
    { role: 'tool', content: "It's always sunny in Rome!" },
    { role: 'assistant', content: "So: It's always sunny in Rome!" },
  ]);
});
