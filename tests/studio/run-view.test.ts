/** A run's events become what the page shows of it. */
import { expect, test } from 'bun:test';
import type { RunStreamEvent } from '../../client/client.ts';
import { NOTHING_YET, type RunView, withEvent } from '../../studio/data/run-view.ts';
import { graphState } from '../../studio/graph/graph-state.ts';
import { shownGraph } from '../../studio/graph/shown-graph.ts';

type Event = RunStreamEvent extends infer E ? (E extends { id: number } ? Omit<E, 'id'> : never) : never;

const viewOf = (...events: Event[]): RunView =>
  events.reduce(
    (view, event, index) => withEvent(view, { ...event, id: index + 1 } as RunStreamEvent, 1_000 + index),
    NOTHING_YET,
  );

const started = (agent: string, attempt = 1): Event => ({
  event: 'agent',
  data: { agent, state: 'started', attempt },
});
const finished = (agent: string): Event => ({
  event: 'agent',
  data: { agent, state: 'finished', attempt: 1, duration_ms: 7 },
});
const token = (agent: string, text: string): Event => ({ event: 'token', data: { agent, text } });
const step = (agent: string, name: string, state: 'started' | 'finished'): Event => ({
  event: 'status',
  data: { agent, text: name, step: name, state, ...(state === 'finished' && { duration_ms: 3 }) },
});

test('what an agent said before it began anew is void', () => {
  const view = viewOf(
    started('a'),
    token('a', 'half an ans'),
    started('a', 2),
    token('a', 'whole '),
    token('a', 'answer'),
  );
  expect(view.agents).toMatchObject([{ agent: 'a', state: 'started', attempt: 2, text: 'whole answer' }]);
});

test('a step that runs again is there again, and its end is that of the newest', () => {
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

test('an event of a newer service changes nothing but the number', () => {
  const view = withEvent(NOTHING_YET, { id: 9, event: 'weather', data: {} } as never, 0);
  expect(view).toEqual({ ...NOTHING_YET, lastEventId: 9 });
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
  started('a'),
  step('a', 'one', 'started'),
  step('a', 'one', 'finished'),
  step('a', 'two', 'started'),
].concat(step('a', 'two', 'finished'), finished('a'), started('b'));

test('the edges that a run took are those between what ran one after another', () => {
  const closed = shownGraph(CLOSED, OPEN, new Set());
  const { agents } = viewOf(...AFTER_A);
  const going = graphState(closed, agents, { waits: false, ended: false });
  expect([...going.taken]).toEqual(['__start__→a', 'a→b']);
  expect(going.nodes.get('b')?.status).toBe('running');
  expect(going.nodes.get('c')?.status).toBe('idle');
  const over = graphState(closed, viewOf(...AFTER_A, finished('b')).agents, { waits: false, ended: true });
  expect([...over.taken]).toEqual(['__start__→a', 'a→b', 'b→__end__']);
  expect(graphState(closed, agents, { waits: true, ended: false }).nodes.get('b')?.status).toBe('waiting');
});

test('of an open agent the edges between its steps are taken in the order in which they ran', () => {
  const opened = shownGraph(CLOSED, OPEN, new Set(['a']));
  expect(opened.nodes.filter(({ inside }) => inside === 'a').map(({ id }) => id)).toEqual(['a:one', 'a:two']);
  const { taken } = graphState(opened, viewOf(...AFTER_A).agents, { waits: false, ended: false });
  expect([...taken]).toEqual(['__start__→a:one', 'a:one→a:two', 'a:two→b']);
});
