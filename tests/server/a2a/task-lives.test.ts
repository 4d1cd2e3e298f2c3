/** The life of tasks: looked up, followed, cancelled, failed and listed. */
import { expect, test } from 'bun:test';
import { type StreamResponse, TaskState } from '@a2a-js/sdk';
import { failure } from '../support/calls.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { until } from '../support/until.ts';
import { GRAPHS } from './graphs.ts';
import { agentAt, listing, message, named, refused, seen, statesOf } from './messages.ts';

const provider = runningProvider();
const service = runningService(provider, '', GRAPHS);
const agent = (name: string) => agentAt(`${service.url}/a2a/${name}`);

/** The provider does not answer until it is released. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  provider.script = async () => {
    await promise;
    return 'at last';
  };
  return resolve;
}

test('a client that does not wait can look up the task, or follow it from its start', async () => {
  const answer = held();
  const echo = await agent('echo');
  const { id, status } = await echo.ask('hi', { configuration: { returnImmediately: true } });
  expect([TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING]).toContain(status?.state ?? 0);
  const events: StreamResponse[] = [];
  const following = (async () => {
    for await (const event of echo.resubscribeTask({ tenant: '', id })) events.push(event);
  })();
  await until(() => events.length > 0);
  answer();
  await following;
  expect(events[0]?.payload).toMatchObject({ $case: 'task', value: { id } });
  expect(statesOf(events).at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
  expect(seen(await echo.getTask({ tenant: '', id })).text).toBe('at last');
  const again = Array.fromAsync(echo.resubscribeTask({ tenant: '', id }));
  expect((await refused(again))[1]).toBe(-32004);
});

test('a running or waiting task can be cancelled, and an ended one cannot', async () => {
  held();
  const echo = await agent('echo');
  const { id } = await echo.ask('hi', { configuration: { returnImmediately: true } });
  expect(seen(await echo.cancelTask(named(id))).state).toBe('CANCELED');
  expect((await refused(echo.cancelTask(named(id))))[0]).toBe('TaskNotCancelableError');
  const letter = await agent('letter');
  const interrupted = await letter.ask('Write.');
  expect(seen(await letter.cancelTask(named(interrupted.id))).state).toBe('CANCELED');
  const thread = await (await service.fetch(`/api/v1/threads/${interrupted.contextId}`)).json();
  expect(thread).toMatchObject({ status: 'idle', interrupt: null });
});

test('a task can be cancelled while its answer is processed', async () => {
  const letter = await agent('letter');
  const { id, contextId } = await letter.ask('Write.');
  held();
  const answered = { taskId: id, configuration: { returnImmediately: true } };
  expect(seen(await letter.ask('yes', answered)).state).not.toBe('INPUT_REQUIRED');
  await until(() => provider.requests.length === 1);
  const again = ['UnsupportedOperationError', -32004, undefined];
  expect(await refused(letter.ask('yes', { taskId: id }))).toEqual(again);
  expect(seen(await letter.cancelTask(named(id))).state).toBe('CANCELED');
  const thread = await (await service.fetch(`/api/v1/threads/${contextId}`)).json();
  expect(thread).toMatchObject({ status: 'idle', interrupt: null });
});

test('a stream ends with the failure of its task', async () => {
  provider.script = () => failure(400);
  const events = await Array.fromAsync((await agent('echo')).sendMessageStream(message('hi')));
  expect(statesOf(events)).toEqual([TaskState.TASK_STATE_WORKING, TaskState.TASK_STATE_FAILED]);
  expect(events.at(-1)?.payload).toMatchObject({
    $case: 'statusUpdate',
    value: { status: { message: { parts: [{ content: { value: expect.stringContaining('failed') } }] } } },
  });
});

test('a failed turn is a failed task, and the answer of a failed one can be sent again', async () => {
  provider.script = () => failure(400);
  const failed = await (await agent('echo')).ask('hi');
  expect(seen(failed)).toMatchObject({
    state: 'FAILED',
    messageParts: [expect.stringContaining('model call failed')],
  });
  const letter = await agent('letter');
  const { id } = await letter.ask('Write.');
  const waits = await letter.ask('yes', { taskId: id });
  expect(seen(waits)).toMatchObject({
    ...{ state: 'INPUT_REQUIRED' },
    messageParts: [expect.stringContaining('model call failed'), { question: 'May I write?' }],
  });
  provider.script = () => 'Dear Ann';
  expect(seen(await letter.ask('yes', { taskId: id }))).toEqual({
    state: 'COMPLETED',
    text: 'Dear Ann "yes"',
  });
});

test('tasks are listed by context, state and page, and the runs that answer a task are not separate tasks', async () => {
  const letter = await agent('letter');
  const first = await letter.ask('Write.', { contextId: 'listed' });
  await letter.ask('yes', { taskId: first.id });
  const second = await letter.ask('Write.', { contextId: 'listed' });
  const list = async (options: object) => {
    const { tasks, nextPageToken } = await letter.listTasks(listing({ contextId: 'listed', ...options }));
    return { ids: tasks.map(({ id }) => id), nextPageToken };
  };
  expect(await list({})).toEqual({ ids: [second.id, first.id], nextPageToken: '' });
  const done = { status: TaskState.TASK_STATE_COMPLETED };
  expect((await list(done)).ids).toEqual([first.id]);
  const statusTimestampAfter = second.status?.timestamp;
  expect((await list({ statusTimestampAfter })).ids).toEqual([second.id]);
  const page = await list({ pageSize: 1 });
  expect(page.ids).toEqual([second.id]);
  expect((await list({ pageSize: 1, pageToken: page.nextPageToken })).ids).toEqual([first.id]);
  expect((await list({ contextId: 'nowhere' })).ids).toEqual([]);
  expect(await refused(letter.listTasks(listing({ pageSize: 101 })))).toEqual([
    ...['RequestMalformedError', -32602, 'INVALID_REQUEST'],
  ]);
  const [complete] = (await letter.listTasks(listing({ ...done, includeArtifacts: true }))).tasks;
  expect(seen(complete ?? never).text).toBe('re: Write. "yes"');
});

test('a client that disconnects cancels the task it waits for, and a stream continues without it', async () => {
  held();
  const echo = await agent('echo');
  const aborter = new AbortController();
  const waiting = echo.sendMessage(message('wait', { contextId: 'waited' }), { signal: aborter.signal });
  await until(() => provider.requests.length === 1);
  aborter.abort();
  await waiting.catch(() => {});
  const stateIn = async (contextId: string) =>
    (await echo.listTasks(listing({ contextId }))).tasks.map((task) => seen(task).state);
  await until(async () => (await stateIn('waited'))[0] === 'CANCELED');
  const answer = held();
  const left = new AbortController();
  const events = echo.sendMessageStream(message('go', { contextId: 'left' }), { signal: left.signal });
  await events.next();
  await until(() => provider.requests.length === 2);
  left.abort();
  await events.next().catch(() => {});
  answer();
  await until(async () => (await stateIn('left'))[0] === 'COMPLETED');
});

const never = undefined as never;
