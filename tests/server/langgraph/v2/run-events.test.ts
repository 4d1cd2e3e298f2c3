/** A run's log as events, for features that only some graphs use. */
import { expect, test } from 'bun:test';
import { runEvents } from '../../../../server/langgraph/v2/run-events.ts';
import type { NewEntry } from '../../../../state/threads/events.ts';
import type { Run } from '../../../../state/threads/runs.ts';

/** The events of the entries as `method namespace data`. */
async function eventsOf(entries: NewEntry[], { waits = false, request = {} } = {}): Promise<unknown[][]> {
  const run = { runId: 'r', workflow: 'g', request } as unknown as Run;
  const view = runEvents({
    run,
    pending: new Map(),
    valuesAt: async () => undefined,
    isInterrupted: async () => waits,
    pendingIds: async () => [],
  });
  const all: unknown[][] = [];
  for (const entry of entries)
    for (const { method, namespace, data } of await view({ at: 0, ...entry }))
      all.push([method, namespace.join('|'), await data()]);
  return all.slice(1);
}

const protocol = { protocol: { streamModes: ['tasks', 'values', 'updates'] } };
const task = (ns: string[], data: object): NewEntry => ({
  ...(ns.length > 0 && { ns }),
  kind: 'stream',
  body: { mode: 'tasks', data },
});
const lifecycle = (events: unknown[][]) => events.filter(([method]) => method === 'lifecycle');

test('an agent that a tool calls is named by its graph, with the ID of the call', async () => {
  const ended: NewEntry = {
    kind: 'task_end',
    node: 'tools',
    taskId: '1',
    body: { state: 'finished', duration_ms: 1 },
  };
  const events = await eventsOf(
    [
      task([], { id: '1', name: 'tools', input: { tool_call: { id: 'call-1' } } }),
      { kind: 'task', ns: ['tools:1'], node: 'model', taskId: '2', body: {} },
      task(['tools:1'], { id: '2', name: 'model', metadata: { lc_agent_name: 'researcher' } }),
      task(['tools:1', 'model:2'], { id: '3', name: 'inner', metadata: {} }),
      ended,
    ],
    { request: protocol },
  );
  const cause = { type: 'toolCall', tool_call_id: 'call-1' };
  expect(lifecycle(events)).toEqual([
    ['lifecycle', 'tools:1', { event: 'started', graph_name: 'researcher', cause }],
    ['lifecycle', 'tools:1|model:2', { event: 'started', graph_name: 'model' }],
    ['lifecycle', 'tools:1|model:2', { event: 'completed', graph_name: 'model' }],
    ['lifecycle', 'tools:1', { event: 'completed', graph_name: 'researcher' }],
  ]);
});

test('the output of a node before a retry is discarded', async () => {
  const token = (id: string): NewEntry => ({
    ...{ kind: 'message', node: 'n', taskId: '1', body: { delta: 'a', id } },
  });
  const events = await eventsOf([
    token('one'),
    { kind: 'task', node: 'n', taskId: '1', body: { attempt: 2 } },
    token('two'),
    { kind: 'task_end', node: 'n', taskId: '1', body: { state: 'finished', duration_ms: 1 } },
  ]);
  const ends = events.flatMap(([, , data]) => {
    const { event, run_id, message } = data as Record<string, unknown>;
    return event === 'error' || event === 'message-finish' ? [[event, run_id, message]] : [];
  });
  expect(ends).toEqual([
    ['error', 'one', 'The node was retried'],
    ['message-finish', 'two', undefined],
  ]);
});

test('subgraphs that are still running end with their run', async () => {
  const inside: NewEntry = {
    kind: 'custom',
    ns: ['a:1'],
    node: 'n',
    taskId: '2',
    body: { data: { step: 1 } },
  };
  const broken = { error_code: 'INTERNAL_ERROR', message: 'broke', detail: null } as never;
  expect(await eventsOf([inside, { kind: 'error', body: broken }])).toEqual([
    ['lifecycle', 'a:1', { event: 'started', graph_name: 'a' }],
    ['custom', 'a:1', { payload: { step: 1 } }],
    ['lifecycle', 'a:1', { event: 'failed', graph_name: 'a' }],
    ['lifecycle', '', { event: 'failed', graph_name: 'g', error: 'broke' }],
  ]);
});

test('a run that stops before a node is reported as interrupted, although it has no question', async () => {
  const end: NewEntry[] = [{ kind: 'response', body: null }];
  expect(await eventsOf(end, { waits: true })).toEqual([
    ['lifecycle', '', { event: 'interrupted', graph_name: 'g' }],
  ]);
  expect(await eventsOf(end)).toEqual([['lifecycle', '', { event: 'completed', graph_name: 'g' }]]);
});

test('values leave out questions, updates are grouped by node, and a deleted checkpoint is tolerated', async () => {
  const piece = (mode: string, data: unknown): NewEntry => ({ kind: 'stream', body: { mode, data } });
  const interrupts = [{ id: 'i', value: 'who?' }];
  const events = await eventsOf(
    [
      piece('values', { n: 1, __interrupt__: interrupts }),
      piece('values', { __interrupt__: interrupts }),
      piece('updates', { a: { n: 1 }, b: null, __metadata__: {} }),
      piece('updates', { __interrupt__: interrupts }),
      { kind: 'stream', body: { mode: 'values', checkpoint: 'gone' } },
    ],
    { request: protocol },
  );
  expect(events).toEqual([
    ['input.requested', '', { interrupt_id: 'i', payload: 'who?' }],
    ['values', '', { n: 1 }],
    ['values', '', undefined],
    ['updates', '', { n: 1 }],
    ['updates', '', { value: null }],
    ['values', '', undefined],
  ]);
});
