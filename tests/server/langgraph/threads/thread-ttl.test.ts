/** Threads with a time to live, with LangGraph's own client: they expire as a whole, or only their history does. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { type TestService, testService } from '../../../support/service.ts';
import { until } from '../../support/until.ts';

const COUNTER = `import { Annotation, START, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ n: Annotation<number>(), slow: Annotation<boolean>() });
export const graph = new StateGraph(State)
  .addNode('count', async ({ n, slow }) => {
    if (slow) await Bun.sleep(2500);
    return { n: (n ?? 0) + 1 };
  })
  .addEdge(START, 'count').compile();`;
const SHORT = 1 / 60_000;
const LANGGRAPH = {
  graphs: { counter: './counter.ts:graph' },
  checkpointer: { ttl: { strategy: 'keep_latest', default_ttl: SHORT, sweep_interval_minutes: 0.004 } },
};

const folder = mkdtempSync(join(tmpdir(), 'skein-ttl-'));
let service: TestService;
beforeAll(async () => {
  symlinkSync(join(import.meta.dir, '../../../../node_modules'), join(folder, 'node_modules'));
  await Bun.write(join(folder, 'counter.ts'), COUNTER);
  await Bun.write(join(folder, 'langgraph.json'), JSON.stringify(LANGGRAPH));
  service = await testService({ folder });
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const client = () => new Client({ apiUrl: service.url, apiKey: null, callerOptions: { maxRetries: 0 } });
const threads = () => client().threads;
const run = (thread: string, input = {}) =>
  client().runs.wait(thread, 'counter', { input, ifNotExists: 'create' });
const steps = async (thread: string) => (await threads().getHistory(thread)).length;
const isGone = async (thread: string) => (await service.fetch(`/threads/${thread}`)).status === 404;

test('the TTL that a client sets applies, and is returned if requested', async () => {
  const { ttl, ...usual } = await included('long', { ttl: 90 });
  expect(usual.thread_id).toBe('long');
  expect(ttl).toEqual({ strategy: 'delete', ttl_minutes: 90, expires_at: expect.any(String) });
  const left = Date.parse(ttl.expires_at) - Date.parse(String(usual.created_at));
  expect(left).toBe(90 * 60_000);
  expect('ttl' in (await threads().get('long'))).toBe(false);
  await run('long');
  expect((await included('long')).ttl).toMatchObject({ strategy: 'delete', ttl_minutes: 90 });
});

test('a thread is deleted when its TTL expires', async () => {
  await threads().create({ threadId: 'short', ttl: SHORT });
  await until(() => isGone('short'));
  await threads().create({ threadId: 'changed', ttl: 90 });
  await run('changed');
  // Long enough for the answer to the update, which contains the thread.
  await threads().update('changed', { ttl: { ttl: 500 * SHORT } });
  await until(() => isGone('changed'));
});

test('without a TTL of the client, langgraph.json applies: the newest state is kept after each activity', async () => {
  expect((await included('usual', {})).ttl).toMatchObject({ strategy: 'keep_latest' });
  for (const n of [1, 2]) {
    expect(await run('usual')).toEqual({ n });
    await until(async () => (await steps('usual')) === 1);
  }
  expect(await run('made-by-a-run')).toEqual({ n: 1 });
  await until(async () => (await steps('made-by-a-run')) === 1);
});

test('a chat thread has no TTL until it is run over this protocol', async () => {
  await service.chat({ conversation_flow: 'counter', thread_id: 'chat', input: { n: 0 } });
  expect((await included('chat')).ttl).toBeNull();
  await run('chat');
  expect((await included('chat')).ttl).toMatchObject({ strategy: 'keep_latest' });
});

test('a thread with an active run is not deleted until the run ends', async () => {
  await threads().create({ threadId: 'busy', ttl: { ttl: 0.002, strategy: 'delete' } });
  expect(await run('busy', { slow: true })).toMatchObject({ n: 1 });
  await until(() => isGone('busy'));
});

test('an invalid TTL is rejected', async () => {
  for (const ttl of [0, -1, { ttl: 1, strategy: 'all' }])
    expect(threads().create({ ttl: ttl as never })).rejects.toThrow('HTTP 400: ttl');
});

async function included(thread: string, create?: Parameters<ReturnType<typeof threads>['create']>[0]) {
  if (create) await threads().create({ threadId: thread, ...create });
  const found = await threads().get(thread, { include: ['ttl'] });
  return found as typeof found & { ttl: { strategy: string; ttl_minutes: number; expires_at: string } };
}
