/** The pending interrupts of a thread after runs that answer them have failed, or were cancelled or deleted. */
import { expect, test } from 'bun:test';
import { Client } from '@langchain/langgraph-sdk';
import { runningProvider, runningService } from '../../support/running.ts';
import { COUNTER, FRAIL, STUBBORN, TWO } from './graphs.ts';

const service = runningService(runningProvider(), '', {
  counter: COUNTER,
  frail: FRAIL,
  stubborn: STUBBORN,
  two: TWO,
});
const client = () => new Client({ apiUrl: service.url, apiKey: null, callerOptions: { maxRetries: 0 } });

/** A thread with a pending question, and the questions of its tasks as the thread reports them. */
async function interruptedRun(graph: string) {
  const { runs, threads } = client();
  const { thread_id: id } = await threads.create();
  await runs.wait(id, graph, { input: { answers: [] } });
  const before = await threads.get(id);
  expect(before.status).toBe('interrupted');
  return { id, interrupts: before.interrupts };
}

const answer = (id: string, graph: string, resume: unknown) =>
  client().runs.wait(id, graph, { command: { resume }, raiseError: false });

test('if the run of an answer fails or is cancelled, the question stays and can be answered again', async () => {
  const { runs, threads } = client();
  const { id, interrupts } = await interruptedRun('stubborn');
  for (let times = 0; times < 2; times++) {
    expect(await answer(id, 'stubborn', 'boom')).toMatchObject({ __error__: { message: 'boom' } });
    expect(await threads.get(id)).toMatchObject({ status: 'interrupted', interrupts });
    expect(await threads.search({ ids: [id], status: 'interrupted' })).toHaveLength(1);
  }
  // As in LangGraph: without another answer, the run retries with the same one.
  const again = await runs.wait(id, 'stubborn', { input: null, raiseError: false });
  expect(again).toMatchObject({ __error__: { message: 'boom' } });
  const { run_id } = await runs.create(id, 'stubborn', { command: { resume: 'wait' } });
  while ((await runs.get(id, run_id)).status === 'pending') await Bun.sleep(5);
  await runs.cancel(id, run_id, true);
  expect(await threads.get(id)).toMatchObject({ status: 'interrupted', interrupts });
  const before = await threads.getState(id);
  expect(before.tasks.flatMap((task) => task.interrupts)).toMatchObject([{ value: 'which?' }]);
  // A value that LangGraph would treat as no answer.
  expect(await answer(id, 'stubborn', false)).toEqual({ answers: [false] });
  expect(await threads.get(id)).toMatchObject({ status: 'idle', interrupts: {} });
});

test('after a failed answer over the protocol, chat can answer the question', async () => {
  const { id } = await interruptedRun('stubborn');
  await answer(id, 'stubborn', 'boom');
  const refused = await service.chat({
    conversation_flow: 'stubborn',
    thread_id: id,
    input: { answers: [] },
  });
  expect([refused.status, refused.body.error_code]).toEqual([409, 'THREAD_BUSY']);
  const resumed = await resume(id, { value: 'yes' });
  expect([resumed.status, resumed.body.values]).toEqual([200, { answers: ['yes'] }]);
  expect((await client().threads.get(id)).status).toBe('idle');
});

test('of two questions, the answered one is not asked again', async () => {
  const { threads } = client();
  const { id, interrupts } = await interruptedRun('two');
  const all = Object.values(interrupts).flat() as { id: string; value: unknown }[];
  const by = (value: string) => all.find((one) => one.value === value)?.id ?? '';
  await answer(id, 'two', { [by('which?')]: 'boom', [by('and?')]: 'B' });
  const left = await threads.get(id);
  expect(left.status).toBe('interrupted');
  expect(await resume(id, { values: { [by('and?')]: 'again' } })).toMatchObject({
    status: 409,
    body: { error_code: 'INTERRUPT_NOT_FOUND' },
  });
  const done = await answer(id, 'two', 'A');
  expect((done as { answers: string[] }).answers.toSorted()).toEqual(['A', 'B']);
});

test('a run that fails without a pending interrupt leaves its thread with an error', async () => {
  const { threads } = client();
  const { id } = await interruptedRun('frail');
  expect(await answer(id, 'frail', 'boom')).toMatchObject({ __error__: { message: 'boom' } });
  expect(await threads.get(id)).toMatchObject({ status: 'error', interrupts: {} });
});

/** A thread with a pending question whose run was deleted. */
async function deleted() {
  const { runs, threads } = client();
  const { id, interrupts } = await interruptedRun('stubborn');
  const [run] = await runs.list(id);
  await runs.delete(id, run?.run_id ?? '');
  expect(await runs.list(id)).toEqual([]);
  expect(await threads.get(id)).toMatchObject({ status: 'interrupted', interrupts });
  return { id, interrupts: Object.values(interrupts).flat() };
}

test('a question can be answered after its run was deleted, over each API', async () => {
  const { threads } = client();
  const { id } = await deleted();
  expect(await answer(id, 'stubborn', 'A')).toEqual({ answers: ['A'] });

  const { id: byChat } = await deleted();
  const resumed = await resume(byChat, { value: 'B' });
  expect([resumed.status, resumed.body.values]).toEqual([200, { answers: ['B'] }]);
  expect((await threads.get(byChat)).status).toBe('idle');

  const { id: byCommand, interrupts } = await deleted();
  const stream = client().threads.stream(byCommand, { assistantId: 'stubborn' });
  const [{ id: interrupt_id = '' } = {}] = interrupts;
  await stream.input.respond({ namespace: [], interrupt_id, response: 'C' });
  while ((await threads.get(byCommand)).status !== 'idle') await Bun.sleep(5);
  expect((await threads.getState(byCommand)).values).toEqual({ answers: ['C'] });
  await stream.close();
});

test('after its run was deleted, an answer can name nodes to stop at, or questions by ID', async () => {
  const { id } = await deleted();
  const stop = { interrupt_before: ['ask'], interrupt_after: ['ask'] };
  const stopped = await resume(id, { value: 'A', ...stop });
  expect(stopped.body.stopped_at).toEqual([{ agent: 'ask', when: 'after', path: [] }]);
  const other = await deleted();
  const [{ id: question = '' } = {}] = other.interrupts;
  const answered = await resume(other.id, { values: { [question]: 'B' }, step: true });
  expect([answered.status, answered.body.values]).toEqual([200, { answers: ['B'] }]);
});

test('a thread whose run was deleted can be forked and run again, with a stop', async () => {
  const { threads } = client();
  const { id } = await deleted();
  const forked = await post(`/threads/${id}/fork`, { run: true, interrupt_after: ['ask'] });
  expect([forked.status, typeof forked.body.run_id]).toEqual([201, 'string']);
  const fork = forked.body.thread_id;
  while ((await threads.get(fork)).status === 'busy') await Bun.sleep(5);
  expect((await threads.get(fork)).status).toBe('interrupted');
});

const resume = (id: string, body: object) => post(`/threads/${id}/resume`, body);

async function post(path: string, body: object) {
  const response = await service.fetch(`/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: an answer or an error
  return { status: response.status, body: (await response.json()) as any };
}
