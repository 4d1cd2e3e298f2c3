/** A fork with a changed state that continues: which nodes run again, in graphs of all shapes and in subgraphs. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { allEvents } from '../../support/events.ts';
import { type ServedProject, serveProject } from './project.ts';
import { got, posted } from './turns.ts';

const NODES = `
import { AIMessage } from '@langchain/core/messages';
import { Annotation, Command, END, MessagesAnnotation, Send, START, StateGraph } from '@langchain/langgraph';
import { z } from 'zod';
const ran = (globalThis.ran ??= []);
const State = Annotation.Root({
  topic: Annotation(),
  topics: Annotation(),
  log: Annotation({ reducer: (left, right) => left.concat(right), default: () => [] }),
});
const node = (name) => ({ topic }) => { ran.push(name); return { log: [name + ' ' + topic] }; };
const chain = (...names) => names.reduce(
  (graph, name, index) => graph.addNode(name, node(name)).addEdge(index === 0 ? START : names[index - 1], name),
  new StateGraph(State),
).addEdge(names.at(-1), END);
const work = ({ topic }) => { ran.push('work ' + topic); return { log: ['worked ' + topic] }; };
const sends = ({ topics }) => topics.map((topic) => new Send('work', { topic }));
`;

const GRAPHS: Record<string, string> = {
  chain: "export default chain('one', 'two', 'three').compile();",
  sending: `
export default new StateGraph(State).addNode('plan', node('plan')).addNode('work', work).addNode('join', node('join'))
  .addEdge(START, 'plan').addConditionalEdges('plan', sends, ['work']).addEdge('work', 'join').addEdge('join', END).compile();`,
  commanding: `
export default new StateGraph(State)
  .addNode('plan', (state) => { ran.push('plan'); return new Command({ update: { log: ['plan'] }, goto: sends(state) }); }, { ends: ['work'] })
  .addNode('work', work).addNode('join', node('join'))
  .addEdge(START, 'plan').addEdge('work', 'join').addEdge('join', END).compile();`,
  choosing: `
export default new StateGraph(State).addNode('look', node('look')).addNode('left', node('left')).addNode('right', node('right'))
  .addEdge(START, 'look').addConditionalEdges('look', ({ topic }) => topic, ['left', 'right'])
  .addEdge('left', END).addEdge('right', END).compile();`,
  'side-by-side': `
export default ['a', 'b', 'c', 'd'].reduce((graph, name) => graph.addNode(name, node(name)), new StateGraph(State))
  .addEdge(START, 'a').addEdge(START, 'b').addEdge('a', 'c').addEdge('b', 'd').addEdge('c', END).addEdge('d', END).compile();`,
  within: `
const check = chain('facts', 'style').compile();
const research = new StateGraph(State).addNode('collect', node('collect')).addNode('check', check)
  .addEdge(START, 'collect').addEdge('collect', 'check').addEdge('check', END).compile();
export default new StateGraph(State).addNode('plan', node('plan')).addNode('research', research)
  .addNode('beside', node('beside')).addNode('write', node('write'))
  .addEdge(START, 'plan').addEdge('plan', 'research').addEdge('plan', 'beside')
  .addEdge(['research', 'beside'], 'write').addEdge('write', END).compile();`,
  hidden: `
const inner = chain('facts', 'style').compile();
export default new StateGraph(State).addNode('calls', async (state) => ({ log: (await inner.invoke(state)).log }))
  .addEdge(START, 'calls').addEdge('calls', END).compile();`,
  'with-context': `
export default new StateGraph(State, z.object({ tone: z.string() }))
  .addNode('one', node('one')).addNode('two', ({ topic }, { context }) => ({ log: [topic + ', ' + context?.tone] }))
  .addEdge(START, 'one').addEdge('one', 'two').addEdge('two', END).compile();`,
  speaking: `
import { FakeListChatModel } from '@langchain/core/utils/testing';
const model = new FakeListChatModel({ responses: ['Word by word.'], sleep: 20 });
export default new StateGraph(MessagesAnnotation).addNode('think', () => ({}))
  .addNode('say', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, 'think').addEdge('think', 'say').addEdge('say', END).compile();`,
  talking: `
const tools = [{ name: 'look', args: { at: 'sky' }, id: 'call-1', type: 'tool_call' }];
export default new StateGraph(MessagesAnnotation)
  .addNode('call', () => ({ messages: [new AIMessage({ content: 'I look.', tool_calls: tools, id: 'm-1' })] }))
  .addNode('say', ({ messages }) => ({ messages: [new AIMessage({ content: 'Heard ' + messages.length + ': ' + messages.map((one) => one.text).join('|'), id: 'm-2' })] }))
  .addEdge(START, 'call').addEdge('call', 'say').addEdge('say', END).compile();`,
};

let project: ServedProject;
beforeAll(async () => {
  project = await serveProject(
    Object.fromEntries(Object.entries(GRAPHS).map(([name, text]) => [name, `${NODES}${text}`])),
  );
});
afterAll(() => project.close());

const ran = () => (globalThis as { ran?: string[] }).ran ?? [];
beforeEach(() => ran().splice(0));

interface Checkpoint {
  checkpoint_id: string;
  run_id: string;
  agent: string | null;
  next: string[];
  within: string | null;
}

let threads = 0;

/** A thread with one turn of the graph, and its checkpoints with those of the subgraphs, oldest first. */
async function startThread(name: string, input: object, more: object = {}) {
  const id = `again-${++threads}`;
  const request = { conversation_flow: name, input, thread_id: id, ...more };
  const answer = await posted(project.service, '/chat', request);
  expect(answer.status).toBe(200);
  const path = `/threads/${id}/checkpoints?limit=100&run_id=${answer.body.run_id}`;
  const checkpoints: Checkpoint[] = (await got(project.service, path)).checkpoints.toReversed();
  ran().splice(0);
  return { id, before: (node: string) => beforeNode(checkpoints, node) };
}

/** `node` is a path of nodes, separated by slashes. */
function beforeNode(checkpoints: Checkpoint[], node: string): Checkpoint {
  const path = node.split('/');
  const name = path.pop() ?? '';
  const within = path.length > 0 ? path.join('/') : null;
  const found = checkpoints.find((one) => one.within === within && one.next.includes(name));
  if (!found) throw new Error(`no checkpoint before ${node}`);
  return found;
}

const fork = (id: string, { checkpoint_id }: Checkpoint, body: object) =>
  posted(project.service, `/threads/${id}/fork`, { checkpoint_id, ...body });

/** The values at the end of the fork, which continues with the next nodes. */
async function runOn(name: string, id: string) {
  const response = await fetch(`${project.service.url}/threads/${id}/runs/wait`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ assistant_id: name, input: null }),
  });
  expect(response.status).toBe(200);
  // biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
  return (await response.json()) as any;
}

async function again(name: string, input: object, node: string, body: object) {
  const { id, before } = await startThread(name, input);
  const { status, body: made } = await fork(id, before(node), body);
  expect({ status, made }).toMatchObject({ status: 201, made: { parent: { thread_id: id } } });
  const values = await runOn(name, made.thread_id);
  return { ran: ran().toSorted(), values, fork: made.thread_id, id };
}

const topics = { topics: ['a', 'b', 'c'] };

test('the nodes after the checkpoint run again, with the changed state', async () => {
  const { ran, values } = await again('chain', { topic: 'x' }, 'two', {
    replace: { topic: 'y', log: ['mine'] },
  });
  expect(ran).toEqual(['three', 'two']);
  expect(values).toEqual({ topic: 'y', log: ['mine', 'two y', 'three y'] });
});

test('a fork before the first node runs the whole graph again', async () => {
  const { ran, values } = await again('chain', { topic: 'x' }, 'one', { values: { topic: 'y' } });
  expect(ran).toEqual(['one', 'three', 'two']);
  expect(values.log).toEqual(['one y', 'two y', 'three y']);
});

test('a fork before the input runs the turn again with that input', async () => {
  const { ran, values } = await again('chain', { topic: 'x' }, '__start__', { replace: { log: ['mine'] } });
  expect(ran).toEqual(['one', 'three', 'two']);
  expect(values).toEqual({ topic: 'x', log: ['mine', 'one x', 'two x', 'three x'] });
});

test('an edge sends its tasks again, based on the changed state', async () => {
  const { ran, values } = await again('sending', topics, 'work', { replace: { topics: ['a', 'd'] } });
  expect(ran).toEqual(['join', 'work a', 'work d']);
  expect(values.log.slice(1, 3)).toEqual(['worked a', 'worked d']);
});

test('after a fan-out, the joining node runs again, but not the tasks', async () => {
  const { ran, values } = await again('sending', topics, 'join', { replace: { log: ['mine'], topic: 'z' } });
  expect(ran).toEqual(['join']);
  expect(values.log).toEqual(['mine', 'join z']);
});

test('the tasks that a command sent are sent again', async () => {
  const { ran, values } = await again('commanding', topics, 'work', { replace: { topic: 'z' } });
  expect(ran).toEqual(['join', 'work a', 'work b', 'work c']);
  expect(values.log.at(-1)).toBe('join z');
});

test('an edge that depends on the state is evaluated again', async () => {
  const { ran } = await again('choosing', { topic: 'left' }, 'left', { replace: { topic: 'right' } });
  expect(ran).toEqual(['right']);
});

test('all parallel next nodes run again', async () => {
  const { ran, values } = await again('side-by-side', { topic: 'x' }, 'c', { values: { topic: 'y' } });
  expect(ran).toEqual(['c', 'd']);
  expect(values.log).toEqual(['a x', 'b x', 'c y', 'd y']);
});

test('a fork of a fork with changes continues with the same nodes', async () => {
  const { id, before } = await startThread('side-by-side', { topic: 'x' });
  const { body: first } = await fork(id, before('c'), { replace: { topic: 'y' } });
  const { body: second } = await posted(project.service, `/threads/${first.thread_id}/fork`, {
    replace: { log: ['mine'] },
  });
  const values = await runOn('side-by-side', second.thread_id);
  expect({ ran: ran().toSorted(), values }).toEqual({
    ran: ['c', 'd'],
    values: { topic: 'y', log: ['mine', 'c y', 'd y'] },
  });
});

test('a fork inside a subgraph runs its next nodes again, and everything after them', async () => {
  const { ran, values } = await again('within', { topic: 'x' }, 'research/check/style', {
    replace: { topic: 'y', log: ['mine'] },
  });
  expect(ran).toEqual(['beside', 'style', 'write']);
  // The state of the subgraph becomes its output to the parent.
  expect(values.topic).toBe('y');
  expect(values.log).toContain('style y');
  expect(values.log).not.toContain('facts x');
});

test('a fork inside a subgraph without changes continues there, and its thread stays unchanged', async () => {
  const { ran, values, id } = await again('within', { topic: 'x' }, 'research/check', {});
  expect(ran).toEqual(['beside', 'facts', 'style', 'write']);
  expect(values.log.at(-1)).toBe('write x');
  expect((await got(project.service, `/threads/${id}`)).status).toBe('idle');
});

test('a state that LangGraph does not see cannot be changed', async () => {
  const { id, before } = await startThread('hidden', { topic: 'x' });
  const { status, body } = await fork(id, before('calls/style'), { replace: { topic: 'y' } });
  expect({ status, code: body.error_code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
  expect(body.detail).toStartWith('checkpoint_id: ');
});

test('the list of messages is replaced: unchanged ones keep their tool calls, others are edited, added and removed', async () => {
  const { id, before } = await startThread('talking', {
    messages: [{ role: 'user', content: 'Hello', id: 'm-0' }],
  });
  const at = before('say');
  const { values } = await got(project.service, `/threads/${id}/checkpoints/${at.checkpoint_id}`);
  const [question, called] = values.messages;
  const messages = [
    { ...question, content: 'Goodbye' },
    called,
    { role: 'tool', content: 'Blue', tool_call_id: 'call-1' },
  ];
  const { body } = await fork(id, at, { replace: { messages } });
  const after = await runOn('talking', body.thread_id);
  expect(after.messages.map((one: { content: string }) => one.content)).toEqual([
    ...['Goodbye', 'I look.', 'Blue', 'Heard 3: Goodbye|I look.|Blue'],
  ]);
  expect(after.messages[1].tool_calls).toEqual(called.tool_calls);
  const { body: less } = await fork(id, at, { replace: { messages: [called] } });
  expect((await runOn('talking', less.thread_id)).messages.at(-1).content).toBe('Heard 1: I look.');
});

/** The run that continued, after its end. */
async function overRun(run: string) {
  for (;;) {
    const { status } = await got(project.service, `/runs/${run}`);
    if (status !== 'running' && status !== 'queued') return status;
    await Bun.sleep(5);
  }
}

test('a fork continues immediately with the context of its origin, and its messages end with the answer', async () => {
  const { id, before } = await startThread('with-context', { topic: 'x' }, { context: { tone: 'warm' } });
  const { status, body } = await fork(id, before('two'), { replace: { topic: 'y' }, run: true });
  expect(status).toBe(201);
  expect(await overRun(body.run_id)).toBe('succeeded');
  expect(ran()).toEqual([]);
  const listed = async (query: string) =>
    (await got(project.service, `/threads/${body.thread_id}/messages${query}`)) as {
      messages: { role: string; content: string }[];
      next_cursor: string | null;
    };
  const { messages } = await listed('');
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(messages[1]?.content).toContain('y, warm');
  for (const order of ['oldest_first', 'newest_first']) {
    const first = await listed(`?limit=1&order=${order}`);
    const second = await listed(`?limit=1&order=${order}&cursor=${first.next_cursor}`);
    const both = [...first.messages, ...second.messages];
    expect({ order, both }).toEqual({
      order,
      both: order === 'oldest_first' ? messages : messages.toReversed(),
    });
    expect(second.next_cursor).toBeNull();
  }
});

test('the text of a continuing fork streams in', async () => {
  const { id, before } = await startThread('speaking', { messages: [{ role: 'user', content: 'Speak.' }] });
  const { body } = await fork(id, before('say'), { run: true });
  const stream = await fetch(`${project.service.url}/api/v1/runs/${body.run_id}/stream`);
  const events = await allEvents(stream);
  const tokens = events.filter(({ event }) => event === 'token').map(({ data }) => data.text);
  expect(tokens.length).toBeGreaterThan(1);
  expect(tokens.join('')).toBe('Word by word.');
});

test('a continuing fork stops at its breakpoints, and a fork of a finished turn does not run', async () => {
  const { id, before } = await startThread('chain', { topic: 'x' });
  const { body } = await fork(id, before('two'), { run: true, interrupt_before: ['three'] });
  expect(await overRun(body.run_id)).toBe('interrupted');
  const { stopped_at } = await got(project.service, `/threads/${body.thread_id}`);
  expect(stopped_at).toEqual([{ agent: 'three', when: 'before', path: [] }]);
  const { body: done } = await posted(project.service, `/threads/${body.thread_id}/resume`, {});
  expect(done.values.log).toEqual(['one x', 'two x', 'three x']);
  const { status, body: ended } = await posted(project.service, `/threads/${id}/fork`, { run: true });
  expect({ status, run: ended.run_id }).toEqual({ status: 201, run: undefined });
});

test('a fork that cannot run is not created', async () => {
  const { id, before } = await startThread('chain', { topic: 'x' });
  const count = async () => (await got(project.service, '/threads?limit=100')).threads.length;
  const threads = await count();
  const { status, body } = await fork(id, before('two'), { run: true, interrupt_before: ['nothing'] });
  expect({ status, code: body.error_code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
  expect(body.detail).toStartWith("interrupt_before: 'chain' has no node 'nothing'");
  expect(await count()).toBe(threads);
});

for (const [field, body] of [
  ['replace.nope', { replace: { nope: 1 } }],
  ['replace.toString', { replace: { toString: 1 } }],
  ['replace.__start__', { replace: { __start__: 1 } }],
  ['replace.topic', { replace: { topic: 'a' }, values: { topic: 'b' } }],
  ['replace', { replace: [] }],
] as [string, object][]) {
  test(`invalid changes are rejected with their channel: ${JSON.stringify(body)}`, async () => {
    const { id, before } = await startThread('chain', { topic: 'x' });
    const { status, body: refused } = await fork(id, before('two'), body);
    expect({ status, code: refused.error_code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
    expect(refused.detail).toStartWith(`${field}:`);
  });
}

for (const wrong of [
  'canary',
  [{ role: 'remove', id: 'm-0', content: '' }],
  [{ role: 'tool', content: 'canary' }],
  [{ lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'HumanMessage'], kwargs: {} }],
]) {
  test(`invalid messages are rejected: ${JSON.stringify(wrong).slice(0, 40)}`, async () => {
    const { id, before } = await startThread('talking', { messages: [{ role: 'user', content: 'Hello' }] });
    const { status, body } = await fork(id, before('say'), { replace: { messages: wrong } });
    expect({ status, code: body.error_code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
    expect(body.detail).toStartWith('replace.messages:');
    expect(JSON.stringify(body)).not.toContain('canary');
  });
}
