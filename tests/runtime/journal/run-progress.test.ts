/** How the attempts of an agent are counted, also across restarts of the process. */
import { expect, test } from 'bun:test';
import { runProgress } from '../../../runtime/journal/run-progress.ts';
import type { NewEntry, ToolCall } from '../../../state/threads/events.ts';

const token = (delta: string): NewEntry => ({ kind: 'message', node: 'a', body: { delta } });
const agent = (state: 'started' | 'finished' | 'failed', attempt = 1): NewEntry =>
  state === 'started'
    ? { kind: 'task', node: 'a', body: { attempt } }
    : { kind: 'task_end', node: 'a', body: { state, attempt, duration_ms: 1 } };

function restored(...entries: NewEntry[]) {
  const progress = runProgress();
  for (const entry of entries) progress.restore(entry);
  return progress;
}

test('an agent that was interrupted by a stopping service starts its next attempt, and its earlier text is discarded', () => {
  for (const cut of [[], [agent('failed')]]) {
    const progress = restored(agent('started'), token('Half of it, '), ...cut);
    const { attempt } = progress.executions.begin('a', { node: 'a' });
    expect(attempt).toBe(2);
    progress.note(agent('started', attempt));
    progress.note(token('All of it.'));
    expect(progress.text()).toBe('All of it.');
  }
});

const task = (node: string, taskId: string, ns?: string[]): NewEntry => ({
  ...{ kind: 'task', node, taskId, ...(ns && { ns }) },
  body: {},
});
const endOf = (entry: NewEntry): NewEntry => ({
  ...entry,
  kind: 'task_end',
  body: { state: 'finished', duration_ms: 1 },
});

test('each run of a node is a separate execution, counted in its graph', () => {
  const [first, second, inner] = [task('a', '1'), task('a', '2'), task('a', '3', ['sub:0'])];
  const progress = restored(first, endOf(first), second, inner);
  expect(progress.agents()).toMatchObject([
    { agent: 'a', path: [], execution: 1, state: 'finished' },
    { agent: 'a', path: [], execution: 2, state: 'started' },
    { agent: 'a', path: ['sub'], execution: 1, state: 'started' },
  ]);
});

test('a retried node restarts the unfinished executions inside it', () => {
  const [outer, finished, cut] = [task('sub', '0'), task('x', '1', ['sub:0']), task('y', '2', ['sub:0'])];
  const progress = restored(outer, finished, endOf(finished), cut);
  expect(progress.executions.begin('sub', { taskId: '0' })).toEqual({ attempt: 2, execution: 1 });
  progress.note({ ...outer, kind: 'task', body: { attempt: 2 } });
  expect(progress.agents().map(({ agent }) => agent)).toEqual(['sub', 'x']);
  const secondAttempt = { attempt: 2, execution: 1 };
  expect(progress.executions.begin('y', { taskId: '2', ns: ['sub:0'] })).toEqual(secondAttempt);
  expect(progress.executions.begin('y', { taskId: '9', ns: ['sub:0'] })).toEqual(secondAttempt);
  progress.note({ ...task('y', '9', ['sub:0']), kind: 'task', body: { attempt: 2 } });
  expect(progress.agents()).toMatchObject([{}, {}, { agent: 'y', execution: 1 }]);
});

test("an agent's record has its tool calls, without the unfinished ones after a restart", () => {
  const tool = (tool_call_id: string, body: Partial<ToolCall> & Pick<ToolCall, 'state'>, at: number) => ({
    ...{ kind: 'tool' as const, node: 'tools', taskId: '1', at },
    body: { tool: 'add', tool_call_id, ...body },
  });
  const progress = restored(
    task('tools', '1'),
    tool('x', { state: 'started', input: { a: 1 } }, 1_000),
    tool('y', { state: 'started' }, 1_001),
    tool('z', { state: 'started' }, 1_002),
    tool('y', { state: 'failed', error: 'No.', duration_ms: 4 }, 1_005),
    tool('x', { state: 'finished', output: 'much', duration_ms: 9 }, 1_009),
  );
  const isoTime = (at: number) => new Date(at).toISOString();
  const ended = [
    { tool: 'add', tool_call_id: 'x', state: 'finished', started_at: isoTime(1_000), duration_ms: 9 },
    {
      tool: 'add',
      tool_call_id: 'y',
      state: 'failed',
      started_at: isoTime(1_001),
      duration_ms: 4,
      error: 'No.',
    },
  ] as const;
  const unfinished = {
    tool: 'add',
    tool_call_id: 'z',
    state: 'started',
    started_at: isoTime(1_002),
    duration_ms: null,
  };
  expect<unknown>(progress.agents()[0]?.tools).toEqual([...ended, unfinished]);
  expect<unknown>(progress.record('tools', { node: 'tools', taskId: '1' }).tools).toEqual(ended);
});

test('an agent inside a node with another name replaces the execution of the node, with its own number', () => {
  const inner: NewEntry = { kind: 'task', node: 'a', taskId: '2', body: { agent: 'clerk' } };
  const progress = restored(task('clerk', '1'), task('a', '2'), inner);
  expect(progress.agents()).toMatchObject([
    { agent: 'clerk', execution: 1, task_id: '1' },
    { agent: 'clerk', execution: 2, task_id: '2' },
  ]);
});

test('the record contains the finished steps of an agent outside a task, but no step that never started', () => {
  const step = (part: string, started_at?: string): NewEntry => ({
    ...{ kind: 'task_end', node: 'a' },
    body: { part, state: 'finished', duration_ms: 1, ...(started_at && { started_at }) },
  });
  const started_at = new Date(0).toISOString();
  const progress = restored(agent('started'), step('look_up', started_at), step('skipped'));
  expect(progress.record('a', {}).steps).toEqual([
    { step: 'look_up', state: 'finished', started_at, duration_ms: 1 },
  ]);
});

test('the first attempt of an agent has the number 1, even before it starts', () => {
  const progress = restored(agent('started', 3));
  expect(progress.executions.attempt('a', {})).toBe(3);
  expect(progress.executions.attempt('b', {})).toBe(1);
});
