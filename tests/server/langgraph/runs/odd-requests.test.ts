/** Runs that name something that does not exist, and the state of their thread afterwards. */
import { expect, test } from 'bun:test';
import { Client } from '@langchain/langgraph-sdk';
import { runningProvider, runningService } from '../../support/running.ts';
import { COUNTER, FRAIL, SLOW } from './graphs.ts';

const service = runningService(runningProvider(), '', {
  counter: COUNTER,
  frail: FRAIL,
  slow: SLOW,
});
const client = () => new Client({ apiUrl: service.url, apiKey: null, callerOptions: { maxRetries: 0 } });
const thread = async () => (await client().threads.create()).thread_id;
const SHORT = { input: { messages: ['go'], wait: 0 } };
const NOT_FOUND = 'HTTP 404: Checkpoint not found';

test('a checkpoint of another thread is rejected, and the thread keeps its state', async () => {
  const { runs, threads } = client();
  const [id, other] = [await thread(), await thread()];
  await runs.wait(id, 'counter', SHORT);
  await runs.wait(other, 'counter', SHORT);
  const { checkpoint_id } = (await threads.getState(other)).checkpoint;
  const own = (await threads.getState(id)).checkpoint.checkpoint_id as string;
  for (const checkpointId of [checkpoint_id as string, 'nonsense']) {
    expect(runs.wait(id, 'counter', { ...SHORT, checkpointId })).rejects.toThrow(NOT_FOUND);
    const config = { configurable: { checkpoint_id: checkpointId } };
    expect(runs.wait(id, 'counter', { ...SHORT, config })).rejects.toThrow(NOT_FOUND);
    expect(threads.updateState(id, { values: { n: 9 }, checkpointId, asNode: 'first' })).rejects.toThrow(
      NOT_FOUND,
    );
  }
  const inside = { checkpoint_id: own, checkpoint_ns: 'inside:x', checkpoint_map: null };
  expect(runs.wait(id, 'counter', { ...SHORT, checkpoint: inside })).rejects.toThrow(NOT_FOUND);
  const odd = { ...SHORT, config: { configurable: { checkpoint_id: {} } } };
  expect(runs.wait(id, 'counter', odd as never)).rejects.toThrow('400: config.configurable.checkpoint_id');
  expect((await threads.getState(id)).checkpoint.checkpoint_id).toBe(own);
  expect(await runs.list(id)).toHaveLength(1);
});

test('a checkpoint that is deleted while a run is queued fails only that run', async () => {
  const { runs, threads } = client();
  const id = await thread();
  await runs.wait(id, 'counter', SHORT);
  const before = await threads.getState(id);
  const first = await runs.create(id, 'counter', { input: { wait: 20_000 } });
  let newest = before;
  while ((newest.values as { n: number }).n !== 3) newest = await threads.getState(id);
  const checkpointId = newest.checkpoint.checkpoint_id as string;
  const taking = { ...SHORT, checkpointId, multitaskStrategy: 'rollback' as const, raiseError: false };
  expect(await runs.wait(id, 'counter', taking)).toMatchObject({
    __error__: { error: 'CHECKPOINT_NOT_FOUND' },
  });
  expect(runs.get(id, first.run_id)).rejects.toThrow('HTTP 404');
  expect((await threads.getState(id)).values).toEqual(before.values);
});

test('updates and inputs named like properties of Object.prototype are dropped', async () => {
  const { runs, threads } = client();
  for (const update of [
    '{"__proto__":1,"n":5}',
    '[["__proto__",1],["n",2],["n",3]]',
    '{"constructor":1,"n":5}',
  ]) {
    const id = await thread();
    await runs.wait(id, 'counter', SHORT);
    const command = { update: JSON.parse(update) };
    expect(await runs.wait(id, 'counter', { command })).toMatchObject({ n: 7 });
    expect((await threads.getState(id)).values).toMatchObject({ n: 7 });
  }
  const id = await thread();
  await runs.wait(id, 'counter', SHORT);
  const goto = { node: 'constructor', input: {} } as never;
  expect(await runs.wait(id, 'counter', { command: { goto } })).toMatchObject({ n: 2 });
  expect(await runs.wait(id, 'counter', SHORT)).toMatchObject({ n: 4 });
});

test('a failed chat turn keeps the question of an older checkpoint', async () => {
  const { runs, threads } = client();
  const id = await thread();
  await runs.wait(id, 'frail', { input: { answers: [] } });
  await threads.updateState(id, { values: { answers: ['boom'] }, asNode: 'ask' });
  const before = await threads.getHistory(id);
  const going = await service.fetch(`/api/v1/threads/${id}/resume`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(going.status).toBe(500);
  expect(before[1]?.tasks).toMatchObject([{ interrupts: [{ value: 'which?' }] }]);
  expect(await threads.getHistory(id)).toEqual(before);
});

test('abandoning a question over chat keeps the state of its run', async () => {
  const { runs, threads } = client();
  const id = await thread();
  await runs.wait(id, 'frail', { input: { answers: ['first'] } });
  await runs.wait(id, 'frail', { input: { answers: ['second'] } });
  const before = await threads.getHistory(id);
  const input = { messages: ['x'], fail: true };
  const superseding = { conversation_flow: 'counter', thread_id: id, input, multitask_strategy: 'supersede' };
  expect((await service.chat(superseding)).status).toBe(500);
  expect(await threads.getHistory(id)).toEqual(before);
  const answered = await runs.wait(id, 'frail', { command: { resume: 'yes' } });
  expect(answered).toEqual({ answers: ['first', 'second', 'yes', 'then'] });

  await runs.wait(id, 'frail', { input: { answers: ['third'] } });
  const waiting = await threads.getHistory(id, { limit: 100 });
  const [run] = await runs.list(id);
  await service.fetch(`/api/v1/runs/${run?.run_id}/cancel`, { method: 'POST' });
  expect((await threads.get(id)).status).toBe('idle');
  expect(await threads.getHistory(id, { limit: 100 })).toEqual(waiting);
});

test('a state update that conflicts with a run is rejected and changes nothing', async () => {
  const { runs, threads } = client();
  const id = await thread();
  await runs.wait(id, 'slow', SHORT);
  // Creating the graph takes a while, and the run starts in between.
  const changed = threads.updateState(id, { values: { n: 100 }, asNode: 'second' });
  const refused = changed.then(() => 'changed', String);
  const { run_id } = await runs.create(id, 'slow', { input: { wait: 20_000 } });
  expect(await refused).toContain('HTTP 409');
  await runs.cancel(id, run_id, true);
  const sources = (await threads.getHistory(id, { limit: 100 })).map(({ metadata }) => metadata?.source);
  expect(sources).not.toContain('update');
});

test.each(['limit', 'offset'])(
  'a list of runs with an invalid %s is rejected, and says what it expects',
  async (name) => {
    const response = await service.fetch(`/threads/${await thread()}/runs?${name}=x`);
    expect([response.status, await response.text()]).toEqual([
      400,
      `${name}: expected an integer from 0 to 999999`,
    ]);
  },
);
