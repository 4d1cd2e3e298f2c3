/** Turns that wait because of stops of the graph or the request, or of several questions, and how they continue. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ServedProject, serveProject } from './project.ts';
import { got, posted } from './turns.ts';

const STEPS = `
import { HumanMessage } from '@langchain/core/messages';
import { Annotation, Command, END, interrupt, START, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({
  topic: Annotation(),
  log: Annotation({ reducer: (left, right) => left.concat(right), default: () => [] }),
});
const note = (name) => () => ({ log: [name] });
const steps = () => new StateGraph(State)
  .addNode('one', note('one')).addNode('two', note('two')).addNode('three', note('three'))
  .addEdge(START, 'one').addEdge('one', 'two').addEdge('two', 'three').addEdge('three', END);
`;

const GRAPHS: Record<string, string> = {
  steps: 'export default steps().compile();',
  'compiled-in': "export default steps().compile({ interruptBefore: ['two'], interruptAfter: ['two'] });",
  nested: `
const Inner = Annotation.Root({ log: State.spec.log });
const inner = new StateGraph(Inner).addNode('x', note('x')).addNode('y', note('y'))
  .addEdge(START, 'x').addEdge('x', 'y').addEdge('y', END).compile({ interruptBefore: ['y'] });
export default new StateGraph(State).addNode('outer', async () => ({ log: ['before'] })).addNode('within', inner)
  .addEdge(START, 'outer').addEdge('outer', 'within').addEdge('within', END).compile();`,
  'nested-after': `
const Inner = Annotation.Root({ log: State.spec.log });
const inner = new StateGraph(Inner).addNode('x', note('x')).addNode('y', note('y'))
  .addEdge(START, 'x').addEdge('x', 'y').addEdge('y', END).compile({ interruptAfter: '*' });
export default new StateGraph(State).addNode('within', inner).addNode('last', note('last'))
  .addEdge(START, 'within').addEdge('within', 'last').addEdge('last', END).compile();`,
  asking: `
const asking = (name) => () => ({ log: [name + ': ' + interrupt({ who: name })] });
export default new StateGraph(State)
  .addNode('ann', asking('ann')).addNode('bob', asking('bob')).addNode('cid', asking('cid'))
  .addNode('last', note('last'))
  .addEdge(START, 'ann').addEdge(START, 'bob').addEdge(START, 'cid')
  .addEdge(['ann', 'bob', 'cid'], 'last').addEdge('last', END).compile();`,
  'asking-with': `
export default new StateGraph(State).addNode('ask', () => ({ log: [interrupt({
  message: new HumanMessage({ content: 'hi', id: 'm' }), when: new Date(0), map: new Map([['a', 1]]),
})] })).addEdge(START, 'ask').addEdge('ask', END).compile();`,
  'asking-twice': `
export default new StateGraph(State)
  .addNode('ask', () => ({ log: [interrupt('first'), interrupt('second')] })).addNode('last', note('last'))
  .addEdge(START, 'ask').addEdge('ask', 'last').addEdge('last', END).compile();`,
};

let project: ServedProject;
beforeAll(async () => {
  project = await serveProject(
    Object.fromEntries(Object.entries(GRAPHS).map(([name, text]) => [name, `${STEPS}${text}`])),
  );
});
afterAll(() => project.close());

let threads = 0;

/** Starts a thread with a turn of the graph, and returns functions that answer it. */
async function startThread(name: string, more: object = {}) {
  const id = `waiting-${++threads}`;
  const body = { conversation_flow: name, input: { topic: 't' }, thread_id: id, ...more };
  const answer = await posted(project.service, '/chat', body);
  return { id, answer, resume: (body: object) => posted(project.service, `/threads/${id}/resume`, body) };
}

const stopOf = ({ body }: { body: { stopped_at: object[]; values: { log: string[] } } }) => ({
  stopped_at: body.stopped_at,
  log: body.values?.log,
});
const at = (agent: string, when: 'before' | 'after', path: string[] = []) => [{ agent, when, path }];

test('a turn stops before and after the nodes that the request names, and continues', async () => {
  const { answer, id, resume } = await startThread('steps', {
    interrupt_before: ['two'],
    interrupt_after: ['two'],
  });
  expect(answer).toMatchObject({
    status: 200,
    body: { event_type: 'interrupt', interrupt: null, interrupts: [] },
  });
  expect(stopOf(answer)).toEqual({ stopped_at: at('two', 'before'), log: ['one'] });
  expect((await got(project.service, `/threads/${id}`)).status).toBe('interrupted');
  expect(await resume({ value: 1 })).toMatchObject({ status: 400, body: { error_code: 'INVALID_REQUEST' } });
  const second = await resume({});
  expect(stopOf(second)).toEqual({ stopped_at: at('two', 'after'), log: ['one', 'two'] });
  const third = await resume({});
  expect(third.body).toMatchObject({ event_type: null, stopped_at: [] });
  expect(third.body.values).toEqual({ topic: 't', log: ['one', 'two', 'three'] });
  expect(third.body.outputs.map(({ agent }: { agent: string }) => agent)).toEqual(['one', 'two', 'three']);
});

test('* stops at every node', async () => {
  const { answer, resume } = await startThread('steps', { interrupt_before: '*' });
  const stops = [answer, await resume({}), await resume({})].map((one) => stopOf(one).stopped_at);
  expect(stops).toEqual(['one', 'two', 'three'].map((name) => at(name, 'before')));
  expect((await resume({})).body.values.log).toEqual(['one', 'two', 'three']);
  const behind = await startThread('steps', { interrupt_after: '*' });
  const after = [behind.answer, await behind.resume({}), await behind.resume({})];
  expect(after.map((one) => stopOf(one).stopped_at)).toEqual(
    ['one', 'two', 'three'].map((name) => at(name, 'after')),
  );
  const end = await behind.resume({});
  expect(end).toMatchObject({ status: 200, body: { stopped_at: [], event_type: null } });
  expect(end.body.values).toEqual({ topic: 't', log: ['one', 'two', 'three'] });
  const next = { conversation_flow: 'steps', input: { topic: 'u' }, thread_id: behind.id };
  expect((await posted(project.service, '/chat', next)).body.values.log).toHaveLength(6);
});

test('compiled stops apply in addition to those of the request', async () => {
  const { answer, resume } = await startThread('compiled-in', {
    interrupt_before: ['one'],
    interrupt_after: ['three'],
  });
  const stops = [answer, await resume({}), await resume({}), await resume({})];
  expect(stops.map((one) => stopOf(one).stopped_at)).toEqual([
    ...[at('one', 'before'), at('two', 'before'), at('two', 'after'), at('three', 'after')],
  ]);
  expect((await resume({})).body.values.log).toEqual(['one', 'two', 'three']);
});

test('a stop in a subgraph has its path', async () => {
  const { answer, resume } = await startThread('nested');
  expect(stopOf(answer)).toEqual({ stopped_at: at('y', 'before', ['within']), log: ['before'] });
  const { body } = await resume({});
  expect(body).toMatchObject({ event_type: null, stopped_at: [], interrupts: [] });
  expect(body.values.log).toEqual(['before', 'before', 'x', 'y']);
});

test('a stop after a node of a subgraph has its path, also after the last node', async () => {
  const { answer, resume } = await startThread('nested-after');
  expect(stopOf(answer).stopped_at).toEqual(at('x', 'after', ['within']));
  expect(stopOf(await resume({})).stopped_at).toEqual(at('y', 'after', ['within']));
  const { body } = await resume({});
  expect(body).toMatchObject({ event_type: null, stopped_at: [] });
  expect(body.values.log).toEqual(['x', 'y', 'last']);
});

test('an unknown node is rejected, before the turn and in an answer', async () => {
  const refused = { status: 400, body: { error_code: 'INVALID_REQUEST' } };
  for (const field of ['interrupt_before', 'interrupt_after']) {
    const { answer } = await startThread('steps', { [field]: ['four'] });
    expect(answer).toMatchObject(refused);
    expect(answer.body.detail).toBe(`${field}: 'steps' has no node 'four'; its nodes are one, two, three`);
  }
  const { resume } = await startThread('steps', { interrupt_before: ['two'] });
  expect(await resume({ goto: 'four' })).toMatchObject(refused);
  expect(stopOf(await resume({})).log).toEqual(['one', 'two', 'three']);
});

test('an answer can also redirect the graph and change the state', async () => {
  const { resume } = await startThread('steps', { interrupt_before: ['two'] });
  const { body } = await resume({ goto: 'three', update: { topic: 'u', log: ['person'] } });
  expect(body.event_type).toBeNull();
  expect(body.values).toEqual({ topic: 'u', log: ['one', 'person', 'three', 'two', 'three'] });
  const interrupted = await startThread('asking-twice');
  const redirected = await interrupted.resume({ goto: ['last'], update: { log: ['person'] } });
  expect(redirected.body).toMatchObject({ event_type: 'interrupt', interrupt: { value: 'first' } });
  expect(redirected.body.values).toEqual({ topic: 't', log: ['person', 'last'] });
});

test("an answer changes only the graph's state: nothing internal to LangGraph, and no unknown channels", async () => {
  const { resume } = await startThread('steps', { interrupt_before: ['two'] });
  const own = { __start__: { topic: 'x' }, 'branch:to:three': 1, __pregel_tasks: [1], __resume__: 1 };
  const { status, body } = await resume({ update: { ...own, toString: 1, nothing: 1, log: ['person'] } });
  expect({ status, values: body.values }).toEqual({
    status: 200,
    values: { topic: 't', log: ['one', 'person', 'two', 'three'] },
  });
  const alone = await startThread('steps', { interrupt_before: ['two'] });
  expect((await alone.resume({ update: { toString: 1 } })).body.values.log).toEqual(['one', 'two', 'three']);
});

test('some of several questions can be answered, and the rest still wait', async () => {
  const { answer, resume, id } = await startThread('asking');
  const ids = Object.fromEntries(
    answer.body.interrupts.map((one: { agent: string; interrupt_id: string }) => [
      one.agent,
      one.interrupt_id,
    ]),
  );
  expect(Object.keys(ids).sort()).toEqual(['ann', 'bob', 'cid']);
  expect(answer.body.interrupt.interrupt_id).toBe(answer.body.interrupts[0].interrupt_id);
  expect(await resume({ value: 'yes' })).toMatchObject({
    status: 409,
    body: { error_code: 'INTERRUPT_AMBIGUOUS' },
  });
  expect(await resume({ values: { nobody: 1 } })).toMatchObject({
    body: { error_code: 'INTERRUPT_NOT_FOUND' },
  });
  const first = await resume({ values: { [ids.bob]: false, [ids.cid]: 0 } });
  expect(first.body.interrupts).toEqual([
    { interrupt_id: ids.ann, value: { who: 'ann' }, agent: 'ann', path: [] },
  ]);
  expect((await got(project.service, `/threads/${id}`)).interrupts ?? []).toHaveLength(1);
  const last = await resume({ value: null });
  expect(last.body).toMatchObject({ event_type: null, interrupts: [] });
  expect(last.body.values.log.toSorted()).toEqual(['ann: null', 'bob: false', 'cid: 0', 'last']);
  expect(last.body.outputs.map(({ agent }: { agent: string }) => agent).toSorted()).toEqual([
    ...['ann', 'bob', 'cid', 'last'],
  ]);
});

test('one node asks twice, one question after the other', async () => {
  const { answer, resume } = await startThread('asking-twice');
  expect(answer.body.interrupt.value).toBe('first');
  const second = await resume({ value: 'a' });
  expect(second.body.interrupt.value).toBe('second');
  expect((await resume({ value: 'b' })).body.values.log).toEqual(['a', 'b', 'last']);
});

test('a question can contain messages and other state, as JSON', async () => {
  const { answer, resume } = await startThread('asking-with');
  expect(answer.body.interrupt?.value).toEqual({
    message: { type: 'human', content: 'hi', id: 'm' },
    when: '1970-01-01T00:00:00.000Z',
    map: { a: 1 },
  });
  expect((await resume({ value: 'ok' })).body.values.log).toEqual(['ok']);
});
