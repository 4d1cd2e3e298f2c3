/** Runs over LangGraph's protocol, with LangGraph's own client. */
import { expect, test } from 'bun:test';
import { Client } from '@langchain/langgraph-sdk';
import { runningProvider, runningService } from '../../support/running.ts';
import { until } from '../../support/until.ts';
import { ASKING, COUNTER, SPEAKING } from './graphs.ts';

const service = runningService(runningProvider(), '', {
  counter: COUNTER,
  asking: ASKING,
  speaking: SPEAKING,
});
const client = () => new Client({ apiUrl: service.url, apiKey: null, callerOptions: { maxRetries: 0 } });
const thread = async () => (await client().threads.create()).thread_id;
const LONG = { input: { wait: 20_000 } };
const SHORT = { input: { messages: ['go'], wait: 0, fail: false } };

/** Waits until this number of nodes have finished on the thread. */
async function counted(threadId: string, n: number): Promise<void> {
  while (((await client().threads.getState(threadId)).values as { n?: number }).n !== n) await Bun.sleep(5);
}

test("waiting for a run returns the thread's state", async () => {
  const id = await thread();
  const values = await client().runs.wait(id, 'counter', SHORT);
  expect(values).toEqual({ ...SHORT.input, n: 2, messages: ['go', 'first', 'second'] });
  const [run] = await client().runs.list(id);
  expect(run).toMatchObject({ thread_id: id, status: 'success', multitask_strategy: 'enqueue' });
  const { values: stored, metadata, status } = await client().threads.get(id);
  expect({ kept: stored, status }).toEqual({ kept: values as never, status: 'idle' });
  expect(metadata).toMatchObject({ graph_id: 'counter', assistant_id: run?.assistant_id as string });
});

test('a background run can be joined, read and deleted', async () => {
  const id = await thread();
  const run = await client().runs.create(id, 'counter', { ...SHORT, metadata: { mine: 'yes' } });
  expect(run).toMatchObject({ thread_id: id, metadata: { mine: 'yes' }, kwargs: { input: SHORT.input } });
  expect(await client().runs.join(id, run.run_id)).toMatchObject({ n: 2 });
  expect((await client().runs.get(id, run.run_id)).status).toBe('success');
  const history = await client().threads.getHistory(id, { metadata: { mine: 'yes' } });
  expect(history).toHaveLength(4);
  await client().runs.delete(id, run.run_id);
  expect(client().runs.get(id, run.run_id)).rejects.toThrow('HTTP 404: Run not found');
  expect((await client().threads.getState(id)).values).toMatchObject({ n: 2 });
});

test('a failed run reports its error, and keeps the work of finished nodes', async () => {
  const id = await thread();
  const failing = { input: { fail: true, messages: ['go'] } };
  const answer = await client().runs.wait(id, 'counter', { ...failing, raiseError: false });
  expect(answer).toEqual({ __error__: { error: 'CustomError', message: 'Boo!' } });
  const state = await client().threads.getState(id);
  expect(state).toMatchObject({ values: { n: 1, messages: ['go', 'first'] }, next: ['second'] });
  expect(state.tasks).toMatchObject([{ name: 'second', error: expect.stringContaining('Boo!') }]);
  expect((await client().threads.get(id)).status).toBe('error');
  // The next run continues from there.
  await client().threads.updateState(id, { values: { fail: false }, asNode: 'first' });
  expect(await client().runs.wait(id, 'counter', { input: null })).toMatchObject({ n: 2 });
});

test('a run that chat started continues over the protocol, and vice versa', async () => {
  const { body } = await service.chat({
    conversation_flow: 'counter',
    thread_id: 'both',
    input: SHORT.input,
  });
  expect(body.values.n).toBe(2);
  expect(await client().runs.wait('both', 'counter', SHORT)).toMatchObject({ n: 4 });
  const again = await service.chat({ conversation_flow: 'counter', thread_id: 'both', input: SHORT.input });
  expect(again.body.values.n).toBe(6);
  // Failed chat turns leave nothing behind, whichever API created the thread.
  const failing = { messages: ['x'], fail: true };
  const failed = await service.chat({ conversation_flow: 'counter', thread_id: 'both', input: failing });
  expect(failed.status).toBe(500);
  expect((await client().threads.getState('both')).values).toMatchObject({ n: 6 });
  expect(await client().runs.list('both')).toHaveLength(4);
});

test('the multitask strategy decides what happens to earlier runs of the thread', async () => {
  const { runs } = client();
  const id = await thread();
  const first = await runs.create(id, 'counter', LONG);
  await counted(id, 1);
  const rejected = runs.create(id, 'counter', { ...SHORT, multitaskStrategy: 'reject' });
  expect(rejected).rejects.toThrow('HTTP 422: Thread is already running a task.');
  const second = await runs.create(id, 'counter', SHORT);
  expect((await runs.get(id, second.run_id)).status).toBe('pending');
  const third = await runs.create(id, 'counter', { ...LONG, multitaskStrategy: 'interrupt' });
  // On PostgreSQL, the server that executes it is notified.
  await until(async () => (await runs.get(id, second.run_id)).status === 'interrupted', 5_000);
  // Includes the finished node `first` of the first run, and that of the third.
  await counted(id, 2);
  expect((await runs.get(id, first.run_id)).status).toBe('interrupted');
  const values = await runs.wait(id, 'counter', { ...SHORT, multitaskStrategy: 'rollback' });
  expect(values).toMatchObject({ n: 3 });
  expect(runs.get(id, third.run_id)).rejects.toThrow('HTTP 404');
});

test('a cancelled run keeps its finished work, or is rolled back', async () => {
  const { runs, threads } = client();
  const id = await thread();
  const kept = await runs.create(id, 'counter', LONG);
  await counted(id, 1);
  await runs.cancel(id, kept.run_id, true);
  expect((await runs.get(id, kept.run_id)).status).toBe('interrupted');
  expect(await threads.getState(id)).toMatchObject({ values: { n: 1 }, next: ['second'] });
  expect((await threads.get(id)).status).toBe('idle');
  const rolledBack = await runs.create(id, 'counter', LONG);
  await counted(id, 2);
  await runs.cancel(id, rolledBack.run_id, true, 'rollback');
  expect(runs.get(id, rolledBack.run_id)).rejects.toThrow('HTTP 404');
  expect((await threads.getState(id)).values).toMatchObject({ n: 1 });
  const waiting = await runs.create(id, 'counter', { ...SHORT, afterSeconds: 100 });
  const behind = await runs.wait(id, 'counter', SHORT);
  expect(behind).toMatchObject({ n: 3 });
  await runs.cancel(id, waiting.run_id, true);
  expect((await runs.get(id, waiting.run_id)).status).toBe('interrupted');
});

test('a question is answered by value or by ID, or abandoned by a new input', async () => {
  const { runs, threads } = client();
  const id = await thread();
  const values = (await runs.wait(id, 'asking', { input: { answers: [] } })) as Record<string, unknown>;
  expect(values.__interrupt__).toMatchObject([{ value: 'which?' }]);
  expect(await threads.get(id)).toMatchObject({ status: 'interrupted' });
  // Chat rejects it instead.
  const refused = await service.chat({
    conversation_flow: 'asking',
    thread_id: id,
    input: { answers: ['x'] },
  });
  expect([refused.status, refused.body.error_code]).toEqual([409, 'THREAD_BUSY']);
  const next = (await runs.wait(id, 'asking', { command: { resume: false } })) as Record<string, unknown>;
  expect(next).toMatchObject({ answers: [false], __interrupt__: [{ value: { sure: true } }] });
  const [{ id: interruptId = '' } = {}] = next.__interrupt__ as { id?: string }[];
  const done = await runs.wait(id, 'asking', { command: { resume: { [interruptId]: 'yes' } } });
  expect(done).toEqual({ answers: [false, 'yes'] });
  await runs.wait(id, 'asking', { input: { answers: ['new'] } });
  const restarted = await runs.wait(id, 'asking', { input: { answers: ['newer'] } });
  expect(restarted).toMatchObject({ answers: [false, 'yes', 'new', 'newer'] });
});

test('a run starts from an older checkpoint, and the thread continues from it', async () => {
  const { runs, threads } = client();
  const id = await thread();
  await runs.wait(id, 'counter', SHORT);
  await runs.wait(id, 'counter', SHORT);
  const history = await threads.getHistory(id);
  const older = history.find(({ values, next }) => next.length === 0 && (values as { n: number }).n === 2);
  const { checkpoint_id } = older?.checkpoint ?? {};
  const forked = await runs.wait(id, 'counter', { ...SHORT, checkpointId: checkpoint_id as string });
  expect(forked).toMatchObject({ n: 4, messages: ['go', 'first', 'second', 'go', 'first', 'second'] });
  const [newest] = await threads.getHistory(id);
  expect((await threads.getState(id)).checkpoint).toEqual(newest?.checkpoint as never);
  expect(await threads.getHistory(id, { limit: 100 })).toHaveLength(12);
});

test('a run without a thread leaves no thread behind', async () => {
  const { runs, threads } = client();
  const before = await threads.count();
  expect(await runs.wait(null, 'counter', SHORT)).toMatchObject({ n: 2 });
  const continued = await runs.create(null, 'counter', { ...SHORT, onCompletion: 'continue' });
  expect(await runs.join(continued.thread_id, continued.run_id)).toMatchObject({ n: 2 });
  expect(await threads.count()).toBe(before + 1);
  const both = await runs.createBatch([
    { assistantId: 'counter', ...SHORT },
    { assistantId: 'counter', ...SHORT },
  ] as never);
  expect(new Set(both.map(({ thread_id }) => thread_id)).size).toBe(2);
});

test('the thread is created with the run on request, and invalid requests name the field', async () => {
  const { runs } = client();
  expect(runs.wait('nowhere', 'counter', SHORT)).rejects.toThrow(
    'HTTP 404: Thread with ID nowhere not found',
  );
  const made = await runs.wait('somewhere', 'counter', { ...SHORT, ifNotExists: 'create' });
  expect(made).toMatchObject({ n: 2 });
  expect(runs.wait('somewhere', 'nothing', SHORT)).rejects.toThrow(
    'HTTP 404: No assistant found for "nothing".',
  );
  const limit = { config: { recursion_limit: 1_000_000_000 } };
  expect(runs.wait('somewhere', 'counter', { ...SHORT, ...limit })).rejects.toThrow(
    'HTTP 400: recursion_limit',
  );
  const looping = { ...SHORT, config: { recursion_limit: 1 }, raiseError: false };
  expect(await runs.wait('somewhere', 'counter', looping)).toMatchObject({
    __error__: { error: 'GraphRecursionError' },
  });
});

test("the messages of such a thread are those of its state, also in this service's own API", async () => {
  const id = await thread();
  await client().runs.wait(id, 'speaking', {
    input: { messages: [{ role: 'human', content: 'hi', id: 'h' }] },
  });
  const first = (await (await service.fetch(`/api/v1/threads/${id}/messages?limit=1`)).json()) as {
    messages: object[];
    next_cursor: string;
  };
  expect(first.messages).toMatchObject([
    { message_id: 'h', role: 'user', content: 'hi', workflow: 'speaking' },
  ]);
  const rest = await service.fetch(`/api/v1/threads/${id}/messages?cursor=${first.next_cursor}`);
  expect(await rest.json()).toMatchObject({
    messages: [{ role: 'assistant', content: 'hello' }],
    next_cursor: null,
  });
});

test('several runs start together or not at all, and cancelling requires a selection', async () => {
  const before = (await client().threads.count()) + (await runsEver());
  const bad = [{ assistantId: 'counter', ...SHORT }, { assistantId: 'nothing' }] as never;
  expect(client().runs.createBatch(bad)).rejects.toThrow('HTTP 404: No assistant found for "nothing".');
  await Bun.sleep(50);
  expect((await client().threads.count()) + (await runsEver())).toBe(before);
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  const refused = await service.fetch('/runs/cancel', init);
  expect([refused.status, await refused.text()]).toEqual([
    400,
    'status: required without thread_id or run_ids',
  ]);
  const waited = await service.fetch('/runs/wait', {
    ...{ ...init, body: JSON.stringify({ assistant_id: 'counter', ...SHORT }) },
  });
  const joined = await service.fetch(waited.headers.get('location') ?? '');
  expect(await joined.json()).toEqual(await waited.json());
});

async function runsEver(): Promise<number> {
  const { runs } = (await (await service.fetch('/api/v1/runs?limit=100')).json()) as { runs: object[] };
  return runs.length;
}
