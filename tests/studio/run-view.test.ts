/** How a run's events become the view of the run. */
import { expect, test } from 'bun:test';
import type { RunStreamEvent } from '../../client/client.ts';
import { mergeAgents } from '../../studio/data/runs/merge-agents.ts';
import { EMPTY_RUN_VIEW, keyOf, type RunView, withEvent } from '../../studio/data/runs/run-view.ts';
import type { Run } from '../../studio/data/runs/runs.ts';
import { settled, turnOf } from '../../studio/data/runs/turn.ts';
import { graphState } from '../../studio/graph/graph-state.ts';
import { shownGraph, undeclaredEdges } from '../../studio/graph/shown-graph.ts';

type Event = RunStreamEvent extends infer E ? (E extends { id: number } ? Omit<E, 'id'> : never) : never;

const viewOf = (...events: Event[]): RunView =>
  events.reduce(
    (view, event, index) => withEvent(view, { ...event, id: index + 1 } as RunStreamEvent, 1_000 + index),
    EMPTY_RUN_VIEW,
  );

/** Tasks have the names of their executions: `a 1`, and `s 1/x 1` inside another. */
const taskOf = (agent: string, execution: number, parent?: string) => {
  const own = `${agent} ${execution}`;
  return { task_id: parent ? `${parent}/${own}` : own, ...(parent && { parent_task_id: parent }) };
};
const started = (agent: string, attempt = 1, execution = 1, path: string[] = []): Event => ({
  event: 'agent',
  data: { agent, path, execution, state: 'started', attempt, ...taskOf(agent, execution) },
});
const after = (from: string[], agent: string, execution = 1, parent?: string): Event => ({
  event: 'agent',
  data: {
    ...{
      agent,
      path: parent ? [parent.split(' ')[0] ?? ''] : [],
      execution,
      state: 'started',
      attempt: 1,
      from,
    },
    ...taskOf(agent, execution, parent),
  },
});
const finished = (agent: string, execution = 1, path: string[] = [], parent?: string): Event => ({
  event: 'agent',
  data: {
    ...{ agent, path, execution, state: 'finished', attempt: 1, duration_ms: 7 },
    ...taskOf(agent, execution, parent),
  },
});
const token = (agent: string, text: string): Event => ({ event: 'token', data: { agent, text } });
const step = (agent: string, name: string, state: 'started' | 'finished', from?: string): Event => ({
  event: 'status',
  data: {
    ...{ agent, text: name, step: name, state, task_id: name, ...(from && { from: [from] }) },
    ...(state === 'finished' && { duration_ms: 3 }),
  },
});

test('the output of an agent before its restart is discarded', () => {
  const view = viewOf(
    started('a'),
    token('a', 'half an ans'),
    started('a', 2),
    token('a', 'whole '),
    token('a', 'answer'),
  );
  expect(view.agents).toMatchObject([{ agent: 'a', state: 'started', attempt: 2, text: 'whole answer' }]);
});

test('a step that runs again is listed again, and its end is that of the newest execution', () => {
  const [agent] = viewOf(
    started('a'),
    step('a', 'write', 'started'),
    step('a', 'write', 'finished'),
    step('a', 'write', 'started'),
  ).agents;
  expect(agent?.steps.map(({ step, state }) => [step, state])).toEqual([
    ['write', 'finished'],
    ['write', 'started'],
  ]);
});

test('an unknown event of a newer service only changes the number', () => {
  const view = withEvent(EMPTY_RUN_VIEW, { id: 9, event: 'weather', data: {} } as never, 0);
  expect(view).toEqual({ ...EMPTY_RUN_VIEW, lastEventId: 9 });
});

const node = (id: string) => ({ id, label: id, kind: 'agent' as const });
const edge = (source: string, target: string) => ({ source, target, conditional: false });
const ENDS = [
  { id: '__start__', label: 'start', kind: 'start' as const },
  { id: '__end__', label: 'end', kind: 'end' as const },
];
const CLOSED = {
  nodes: [...ENDS, node('a'), node('b'), node('c')],
  edges: [edge('__start__', 'a'), edge('a', 'b'), edge('a', 'c'), edge('b', '__end__'), edge('c', '__end__')],
};
const OPEN = {
  nodes: [...ENDS, node('a:one'), node('a:two'), node('b'), node('c')],
  edges: [
    ...[edge('__start__', 'a:one'), edge('a:one', 'a:two'), edge('a:two', 'a:one'), edge('a:two', 'b')],
    ...[edge('a:two', 'c'), edge('b', '__end__'), edge('c', '__end__')],
  ],
};
const AFTER_A = [
  after(['__start__'], 'a'),
  step('a', 'one', 'started', '__start__'),
  step('a', 'one', 'finished'),
  step('a', 'two', 'started', 'one'),
].concat(step('a', 'two', 'finished'), finished('a'), after(['a 1'], 'b'));

test('a run took the edges that its executions name', () => {
  const closed = shownGraph(CLOSED, OPEN, new Set());
  const { agents } = viewOf(...AFTER_A);
  const going = graphState(closed, agents, { waits: false, ended: false });
  expect([...going.taken.keys()]).toEqual(['__start__→a', 'a→b']);
  expect(going.nodes.get('b')?.status).toBe('running');
  expect(going.nodes.get('c')?.status).toBe('idle');
  const over = graphState(closed, viewOf(...AFTER_A, finished('b')).agents, { waits: false, ended: true });
  expect([...over.taken.keys()]).toEqual(['__start__→a', 'a→b', 'b→__end__']);
  expect(graphState(closed, agents, { waits: true, ended: false }).nodes.get('b')?.status).toBe('waiting');
});

test('inside an expanded agent, edges are taken in the order in which the steps ran', () => {
  const opened = shownGraph(CLOSED, OPEN, new Set(['a']));
  expect(opened.nodes.filter(({ inside }) => inside === 'a').map(({ id }) => id)).toEqual(['a:one', 'a:two']);
  const { taken } = graphState(opened, viewOf(...AFTER_A).agents, { waits: false, ended: false });
  expect([...taken.keys()]).toEqual(['__start__→a:one', 'a:one→a:two', 'a:two→b']);
});

test('each execution of a node is listed separately, with its calls and its output', () => {
  const tool = (id: string, rest: object): Event => ({
    event: 'tool',
    data: { agent: 'a', tool: 'add', tool_call_id: id, state: 'started', ...rest },
  });
  const { agents } = viewOf(
    started('a'),
    tool('x', { input: { a: 1 } }),
    tool('y', {}),
    tool('x', { state: 'finished', output: '1', duration_ms: 5 }),
    finished('a'),
    tool('y', { state: 'failed', error: 'No.', duration_ms: 2 }),
    started('a', 1, 2),
    { event: 'custom', data: { agent: 'a', data: { progress: 1 } } },
    started('a', 1, 1, ['sub']),
  );
  expect(agents.map(keyOf)).toEqual(['a 1', 'a 2', 'sub:a 1']);
  expect(agents[0]?.tools).toMatchObject([
    { tool: 'add', id: 'x', state: 'finished', input: { a: 1 }, output: '1', durationMs: 5 },
    { tool: 'add', id: 'y', state: 'failed', error: 'No.', durationMs: 2 },
  ]);
  expect(agents.map(({ custom }) => custom.length)).toEqual([0, 1, 0]);
});

test('a node that restarts discards the unfinished work inside it', () => {
  const { agents } = viewOf(
    started('sub'),
    started('x', 1, 1, ['sub']),
    finished('x', 1, ['sub']),
    started('y', 1, 1, ['sub']),
    started('sub', 2),
  );
  expect(agents.map(keyOf)).toEqual(['sub 1', 'sub:x 1']);
});

test('the record says which agent made a tool call, and the events have its input and output', () => {
  const agents = viewOf(started('a'), started('a', 1, 2), {
    event: 'tool',
    data: { agent: 'a', tool: 'add', tool_call_id: 'x', state: 'started', input: 7 },
  }).agents;
  expect(agents.map(({ tools }) => tools.length)).toEqual([0, 1]);
  const time = { state: 'finished' as const, started_at: '2026-11-22T12:00:00.000Z', duration_ms: 4 };
  const empty = { usage: { input_tokens: 0, output_tokens: 0 }, prompts: [], calls: [], steps: [] };
  const tools = [{ tool: 'add', tool_call_id: 'x', ...time }];
  const run = {
    agents: [
      { agent: 'a', path: [], execution: 1, ...time, ...empty, tools },
      { agent: 'a', path: [], execution: 2, ...time, ...empty, tools: [] },
    ],
  };
  const known = mergeAgents(run as unknown as Run, agents);
  expect(known.map(({ tools }) => tools)).toMatchObject([[{ tool: 'add', durationMs: 4, input: 7 }], []]);
});

test('subgraphs expand one by one, and the back edge of a loop is taken where it occurred', () => {
  const nested = {
    nodes: [...ENDS, node('p'), node('s:c'), node('s:t:f')],
    edges: [
      edge('__start__', 'p'),
      edge('p', 's:c'),
      edge('s:c', 's:t:f'),
      edge('s:t:f', 'p'),
      edge('p', '__end__'),
    ],
  };
  const root = { nodes: [...ENDS, node('p'), node('s')], edges: [] };
  const ids = (opened: string[]) =>
    shownGraph(root, nested, new Set(opened))
      .nodes.map(({ id }) => id)
      .slice(2);
  expect(ids([])).toEqual(['p', 's']);
  expect(ids(['s'])).toEqual(['p', 's:c', 's:t']);
  expect(ids(['s', 's:t'])).toEqual(['p', 's:c', 's:t:f']);
  const once = [
    after(['__start__'], 'p'),
    finished('p'),
    after(['p 1'], 's'),
    after(['__start__'], 'c', 1, 's 1'),
    finished('c', 1, ['s'], 's 1'),
  ];
  const closed = shownGraph(root, nested, new Set());
  const taken = (events: Event[], ended: boolean) =>
    [...graphState(closed, viewOf(...events).agents, { waits: false, ended }).taken.keys()].sort();
  expect(taken(once, false)).toEqual(['__start__→p', 'p→s']);
  const twice = [...once, finished('s'), after(['s 1'], 'p', 2), finished('p', 2)];
  expect(taken(twice, true)).toEqual(['__start__→p', 'p→__end__', 'p→s', 's→p']);
});

test('an edge that skips a node that ran is not taken, and a loop counts its iterations', () => {
  const graph = { nodes: [...ENDS, node('a'), node('b'), node('c')], edges: [] };
  const { agents } = viewOf(
    ...[after(['__start__'], 'a'), finished('a'), after(['a 1'], 'b'), finished('b')],
    ...[after(['b 1'], 'c'), finished('c'), after(['c 1'], 'b', 2), finished('b', 2)],
    ...[after(['b 2'], 'c', 2), finished('c', 2)],
  );
  const { taken } = graphState(graph, agents, { waits: false, ended: true });
  expect(Object.fromEntries(taken)).toEqual({
    ...{ '__start__→a': 1, 'a→b': 1, 'b→c': 2, 'c→b': 1, 'c→__end__': 1 },
  });
  expect(undeclaredEdges({ ...graph, edges: [edge('b', 'c')] }, new Map([['c→b', 1]]))).toEqual([
    { source: 'c', target: 'b', conditional: true },
  ]);
});

test('a node that asked a person and continued in the next run of its turn counts as one execution', () => {
  const run = (id: string, status: string, finished_at: string) =>
    ({ run_id: id, status, finished_at }) as Run;
  const first = viewOf(after(['__start__'], 'p'), finished('p'), after(['p 1'], 'ask')).agents;
  const resumed = viewOf(
    after(['p 1'], 'ask'),
    finished('ask'),
    after(['ask 1'], 'go'),
    finished('go'),
  ).agents;
  const { agents, parts } = turnOf([
    { run: run('1', 'interrupted', '2026-11-22T12:00:00.000Z'), agents: first },
    { run: run('2', 'succeeded', '2026-11-22T12:01:00.000Z'), agents: resumed },
  ]);
  expect(agents.map((agent) => [keyOf(agent), agent.state])).toEqual([
    ...[
      ['p 1', 'finished'],
      ['ask 1', 'finished'],
      ['go 1', 'finished'],
    ],
  ]);
  expect(parts.map(({ agents }) => agents.map(keyOf))).toEqual([
    ['p 1', 'ask 1'],
    ['ask 1', 'go 1'],
  ]);
});

test('when a run is cancelled, its running nodes are shown as cancelled', () => {
  const going = viewOf(started('a'), finished('a'), started('b'), step('b', 'one', 'started')).agents;
  const run = { status: 'cancelled', finished_at: new Date(5_000).toISOString() } as Run;
  const [, b] = settled(going, run, false);
  expect([b?.state, b?.durationMs, b?.steps[0]?.state]).toEqual(['cancelled', 3_998, 'cancelled']);
  expect(settled(going, { ...run, status: 'interrupted' }, false)).toEqual(going);
});
