/** Tasks of A2A with its official JavaScript package. */
import { expect, test } from 'bun:test';
import { TaskState } from '@a2a-js/sdk';
import { conversationOf } from '../support/calls.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { GRAPHS } from './graphs.ts';
import { agentAt, data, image, message, refused, seen, statesOf, text } from './messages.ts';

const provider = runningProvider();
const service = runningService(provider, '', GRAPHS);
const agent = (name: string) => agentAt(`${service.url}/a2a/${name}`);

test('a message is a turn, its task the run and its context the thread', async () => {
  const echo = await agent('echo');
  const first = await echo.ask('one', { contextId: 'kept' });
  expect(seen(first)).toEqual({ state: 'COMPLETED', text: 're: one' });
  expect(first).toMatchObject({ contextId: 'kept', metadata: { workflow: 'echo', run_id: first.id } });
  const run = await (await service.fetch(`/api/v1/runs/${first.id}`)).json();
  expect(run).toMatchObject({ thread_id: 'kept', status: 'succeeded', user_prompt: 'one' });
  await echo.ask('two', { contextId: 'kept' });
  expect(conversationOf(provider.requests.at(-1) ?? never)).toEqual(['one', 're: one', 'two']);
  const other = await echo.ask('three');
  expect(other.contextId).not.toBe('kept');
  expect(await echo.getTask({ tenant: '', id: first.id })).toEqual(first);
  expect(first.history.map(({ parts }) => parts[0]?.content?.value)).toEqual(['one']);
  expect((await echo.getTask({ tenant: '', id: first.id, historyLength: 0 })).history).toEqual([]);
});

test('the chunks of a stream form the answer, and its last event is the end', async () => {
  const classifier = await agent('classification_agent');
  const events = await Array.fromAsync(classifier.sendMessageStream(message('My pedal is broken')));
  const [task, ...updates] = events.map(({ payload }) => payload ?? never);
  expect(task).toMatchObject({ $case: 'task', value: { status: { state: TaskState.TASK_STATE_SUBMITTED } } });
  expect(statesOf(events)).toEqual([TaskState.TASK_STATE_WORKING, TaskState.TASK_STATE_COMPLETED]);
  const pieces = updates.flatMap((update) => (update.$case === 'artifactUpdate' ? [update.value] : []));
  const id = task?.$case === 'task' ? task.value.id : '';
  const stored = await classifier.getTask({ tenant: '', id });
  const answerPieces = pieces.filter(({ artifact }) => artifact?.name === 'answer');
  expect(answerPieces.map(({ artifact }) => artifact?.parts[0]?.content?.value).join('')).toBe(
    seen(stored).text,
  );
  expect(answerPieces.map(({ append }) => append)).toEqual([false, ...answerPieces.slice(1).map(() => true)]);
  expect(answerPieces.map(({ lastChunk }) => lastChunk)).toEqual([
    ...answerPieces.slice(1).map(() => false),
    true,
  ]);
  expect(pieces.at(-1)?.artifact).toEqual(stored.artifacts.at(-1));
  expect(seen(stored).data).toMatchObject({ classification_agent: { category: 'support' } });
});

test('a question to a person is a task that requires input, and its answer continues the task', async () => {
  const letter = await agent('letter');
  const first = await letter.ask('Write.');
  expect(seen(first)).toEqual({
    state: 'INPUT_REQUIRED',
    text: '',
    messageParts: [{ question: 'May I write?' }],
  });
  const done = await letter.ask([data({ approved: true })], { taskId: first.id });
  expect(done).toMatchObject({ id: first.id, contextId: first.contextId });
  expect(seen(done)).toEqual({ state: 'COMPLETED', text: 're: Write. {"approved":true}' });
  expect(await letter.getTask({ tenant: '', id: first.id })).toEqual(done);
  expect(await letter.getTask({ tenant: '', id: String(done.metadata?.run_id) })).toEqual(done);
  expect(done.history.map(({ parts }) => parts[0]?.content?.value)).toEqual([
    ...['Write.', { question: 'May I write?' }, { approved: true }],
  ]);
  const ended = ['UnsupportedOperationError', -32004, undefined];
  expect(await refused(letter.ask('Again', { taskId: first.id }))).toEqual(ended);
});

test('a text can also answer, as JSON if it is valid JSON, and its stream belongs to the same task', async () => {
  const letter = await agent('letter');
  for (const [reply, read] of [
    ['yes', '"yes"'],
    ['{"approved": false}', '{"approved":false}'],
  ] as const) {
    const { id } = await letter.ask('Write.');
    const events = await Array.fromAsync(letter.sendMessageStream(message(reply, { taskId: id })));
    expect(events[0]?.payload).toMatchObject({ $case: 'task', value: { id } });
    expect(statesOf(events).at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(seen(await letter.getTask({ tenant: '', id })).text).toBe(`re: Write. ${read}`);
  }
});

test('several questions are answered by their IDs, together or one after another', async () => {
  const pair = await agent('pair');
  const first = await pair.ask('Ask.');
  const ids = (first.status?.message?.parts ?? []).map(({ metadata }) => String(metadata?.interrupt_id));
  expect(ids).toHaveLength(2);
  const ambiguous = ['UnsupportedOperationError', -32004, 'INTERRUPT_AMBIGUOUS'];
  expect(await refused(pair.ask('yes', { taskId: first.id }))).toEqual(ambiguous);
  const half = await pair.ask([data({ [String(ids[0])]: 1 })], { taskId: first.id });
  expect(seen(half).state).toBe('INPUT_REQUIRED');
  const done = await pair.ask([data({ [String(ids[1])]: 2 })], { taskId: first.id });
  expect(done).toMatchObject({ id: first.id, status: { state: TaskState.TASK_STATE_COMPLETED } });
});

test('a task can only be answered in its own context, and an unknown one is not found', async () => {
  const letter = await agent('letter');
  const { id } = await letter.ask('Write.');
  const otherContext = letter.ask('yes', { taskId: id, contextId: 'elsewhere' });
  expect(await refused(otherContext)).toEqual(['RequestMalformedError', -32602, 'INVALID_REQUEST']);
  const busy = await refused(
    letter.ask('More', { contextId: (await letter.getTask({ tenant: '', id })).contextId }),
  );
  expect(busy).toEqual(['UnsupportedOperationError', -32004, 'THREAD_BUSY']);
  const missing = ['TaskNotFoundError', -32001, 'RUN_NOT_FOUND'];
  expect(await refused(letter.ask('yes', { taskId: crypto.randomUUID() }))).toEqual(missing);
  expect(await refused((await agent('echo')).getTask({ tenant: '', id }))).toEqual(missing);
});

test('data is the input of a graph, in addition to the text if the graph has messages', async () => {
  const trip = await (await agent('trip')).ask([data({ city: 'Delft', days: 3 })]);
  const plan = { city: 'Delft', nights: 2 };
  expect(seen(trip)).toMatchObject({
    state: 'COMPLETED',
    data: { values: { city: 'Delft', days: 3, plan } },
  });
  const mixed = await agent('mixed');
  const task = await mixed.ask([text('Why?'), data({ topic: 'rain' })]);
  expect(seen(task)).toMatchObject({ text: 'rain: "Why?"', data: { values: { topic: 'rain' } } });
  const wrong = ['RequestMalformedError', -32602, 'INVALID_WORKFLOW_INPUT'];
  expect(await refused(mixed.ask([text('Why?'), data(['rain'])]))).toEqual(wrong);
  expect(await refused(mixed.ask([text('  ')]))).toEqual([
    'RequestMalformedError',
    -32602,
    'INVALID_REQUEST',
  ]);
});

test('a workflow that takes a prompt reads data as JSON', async () => {
  const done = await (await agent('echo')).ask([text('Read this:'), data({ a: 1 })]);
  expect(seen(done).text).toBe('re: Read this:\n{"a":1}');
});

test('images are only passed to graphs with messages', async () => {
  const done = await (await agent('seen')).ask([text('What is it?'), image(Buffer.from([0]))]);
  const url = { image_url: { url: 'data:image/png;base64,AA==' } };
  const parts = [
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', ...url },
  ];
  expect(seen(done).text).toBe(`saw user ${JSON.stringify(parts)}`);
  const no = ['ContentTypeNotSupportedError', -32005, undefined];
  expect(await refused((await agent('echo')).ask([image(Buffer.from([0]))]))).toEqual(no);
});

const never = undefined as never;
