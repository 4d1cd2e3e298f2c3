/** The stream of a thread: state changes from outside of runs, in addition to its runs. */
import { expect, test } from 'bun:test';
import { Client } from '@langchain/langgraph-sdk';
import { runningProvider, runningService } from '../../support/running.ts';
import { COUNTER } from './graphs.ts';

const service = runningService(runningProvider(), '', { counter: COUNTER });
const client = () => new Client({ apiUrl: service.url, apiKey: null, callerOptions: { maxRetries: 0 } });

interface Chunk {
  id?: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: each event has its own shape
  data: any;
}

type Modes = ('run_modes' | 'lifecycle' | 'state_update')[];

/** The first `count` events. */
async function heard(id: string, count: number, streamMode: Modes, lastEventId = '-'): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of client().threads.joinStream(id, { lastEventId, streamMode })) {
    chunks.push(chunk as Chunk);
    if (chunks.length === count) break;
  }
  return chunks;
}

test('state changes have events, live and after a given event', async () => {
  const { threads, runs } = client();
  const { thread_id: id } = await threads.create();
  const input = { messages: ['go'], wait: 0, fail: false };
  await runs.wait(id, 'counter', { input });
  await threads.updateState(id, { values: { n: 5 }, asNode: 'second' });
  const after = await threads.getState(id);
  await runs.wait(id, 'counter', { input });
  await threads.updateState(id, { values: { n: 7 }, asNode: 'second' });

  const changes = await heard(id, 2, ['state_update']);
  expect(changes.map(({ event }) => event)).toEqual(['state_update', 'state_update']);
  const [first, second] = changes.map(({ data }) => data);
  expect(first).toEqual({ thread_id: id, state: { ...after, tasks: first.state.tasks } });
  expect(second.state).toMatchObject({ values: { n: 16 }, metadata: { source: 'update' }, next: [] });

  const all = await heard(id, 6, ['state_update', 'lifecycle']);
  expect(all.map(({ event }) => event)).toEqual([
    ...['metadata', 'run_done', 'state_update'],
    ...['metadata', 'run_done', 'state_update'],
  ]);
  expect(await heard(id, 2, ['state_update', 'lifecycle'], all[3]?.id)).toEqual(all.slice(4));
  // As in LangGraph's servers, the events of runs don't include those of the changes.
  const ofRuns = await heard(id, 10, ['run_modes']);
  expect(ofRuns.filter(({ event }) => event === 'state_update')).toEqual([]);

  const live = heard(id, 1, ['state_update'], second && changes[1]?.id);
  const began = performance.now();
  await Bun.sleep(50);
  await threads.updateState(id, { values: { n: 1 }, asNode: 'second' });
  expect((await live)[0]?.data.state.values.n).toBe(17);
  // Immediately, without waiting for the next check for changes by other processes.
  expect(performance.now() - began).toBeLessThan(4_000);
});

test('a thread that is created with a history starts with one change, and metadata is not a change', async () => {
  const { threads, runs } = client();
  const steps = [1, 2].map((n) => ({ updates: [{ values: { n }, asNode: 'first' }] }));
  const { thread_id: id } = await threads.create({ graphId: 'counter', supersteps: steps as never });
  await threads.update(id, { metadata: { mine: 'yes' } });
  await threads.updateState(id, { values: { n: 10 }, asNode: 'second' });
  const changes = await heard(id, 2, ['state_update']);
  expect(changes.map(({ data }) => data.state.values.n)).toEqual([3, 13]);
  expect(new Set(changes.map(({ id }) => id)).size).toBe(2);
  // The events of a later run have separate numbers.
  await runs.wait(id, 'counter', { input: { messages: [] } });
  const ids = (await heard(id, 4, ['state_update', 'lifecycle'])).map((one) => one.id);
  expect(new Set(ids).size).toBe(4);
});

test('a state update that conflicts with a run has no event', async () => {
  const { threads, runs } = client();
  const { thread_id: id } = await threads.create();
  const { run_id } = await runs.create(id, 'counter', { input: { wait: 20_000 } });
  expect(threads.updateState(id, { values: { n: 5 }, asNode: 'first' })).rejects.toThrow('HTTP 409');
  await runs.cancel(id, run_id, true);
  await threads.updateState(id, { values: { n: 100 }, asNode: 'second' });
  const [only] = await heard(id, 1, ['state_update']);
  expect(only?.data.state.values.n).toBeGreaterThanOrEqual(100);
});
