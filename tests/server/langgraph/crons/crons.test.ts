/** Crons with LangGraph's own client: created, changed, found, deleted, and run after a restart. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { type TestService, testService, writeGraphs } from '../../../support/service.ts';
import { askState } from '../../../support/stored-state.ts';
import { until } from '../../support/until.ts';
import { runningReceiver } from '../../webhooks/receiver.ts';

const GRAPH = `
const State = Annotation.Root({ n: Annotation() });
export default new StateGraph(State)
  .addNode('one', async ({ n = 0 }, { context, signal }) => {
    if (n === 9) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    return { n: n + (context?.by ?? 1) };
  })
  .addEdge(START, 'one').compile();`;

const hook = runningReceiver();
const folder = mkdtempSync(join(tmpdir(), 'skein-cron-service-'));
let service: TestService;
const start = async () => {
  service = await testService({ folder, config: 'webhooks: {allowed_hosts: [127.0.0.1]}' });
};
beforeAll(async () => {
  await writeGraphs(folder, { counter: GRAPH });
  await start();
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const client = () => new Client({ apiUrl: service.url, apiKey: null, callerOptions: { maxRetries: 0 } });
const crons = () => client().crons;
const NEVER = '0 0 1 1 *';

/** A cron becomes due while the service is down. */
async function missed(times: Record<string, number>): Promise<void> {
  await service.close();
  for (const [id, at] of Object.entries(times))
    await askState(folder, 'UPDATE crons SET next_at = $1 WHERE cron_id = $2', at, id);
  await start();
}

test('a cron can be created, changed, found and deleted', async () => {
  const made = await crons().create('counter', {
    ...{ schedule: '30 9 * * 1-5', timezone: 'Europe/Berlin', metadata: { team: 'x' }, input: { n: 1 } },
    ...{ webhook: hook.url, config: { tags: ['a'] } },
  });
  const { assistant_id } = await client().assistants.get('counter');
  expect(made).toMatchObject({
    ...{ assistant_id, thread_id: null, user_id: null, schedule: '30 9 * * 1-5', timezone: 'Europe/Berlin' },
    ...{ enabled: true, end_time: null, metadata: { team: 'x' }, on_run_completed: 'delete' },
    payload: { assistant_id, input: { n: 1 }, webhook: hook.url, config: { tags: ['a'] } },
  } as object);
  const due = new Date(made.next_run_date);
  expect(due.getTime()).toBeGreaterThan(Date.now());
  expect(due.toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin' })).toBe('09:30:00');

  const end = new Date(Date.now() + 1000).toISOString();
  const changed = await crons().update(made.cron_id, {
    ...{ schedule: NEVER, timezone: 'UTC', endTime: end, metadata: { more: 1 }, input: { n: 2 } },
  });
  expect(changed).toMatchObject({
    ...{ cron_id: made.cron_id, schedule: NEVER, end_time: end, next_run_date: null },
    ...{ metadata: { team: 'x', more: 1 }, payload: { input: { n: 2 }, webhook: hook.url } },
  } as object);
  expect(await crons().search({ assistantId: 'counter', metadata: { more: 1 } })).toEqual([changed as never]);
  expect(await crons().search({ enabled: false })).toEqual([]);
  expect(await crons().search({ select: ['cron_id'] })).toEqual([{ cron_id: made.cron_id } as never]);
  expect([await crons().count(), await crons().count({ threadId: 'none' })]).toEqual([1, 0]);
  const without = await crons().update(made.cron_id, { enabled: false, config: null as never });
  expect(without).toMatchObject({ enabled: false, payload: { input: { n: 2 } } });
  expect(without.payload).not.toHaveProperty('config');
  await crons().delete(made.cron_id);
  expect(await crons().count()).toBe(0);
  await expect(crons().delete(made.cron_id)).rejects.toThrow('HTTP 404: Cron not found');
  await expect(crons().update(made.cron_id, {})).rejects.toThrow('HTTP 404: Cron not found');
});

test('a cron that could never run is rejected', async () => {
  const { thread_id } = await client().threads.create();
  const refused = async (path: string, body: object) => {
    const answer = await service.fetch(path, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ assistant_id: 'counter', schedule: NEVER, ...body }),
    });
    return `${answer.status} ${await answer.text()}`;
  };
  const own = '/runs/crons';
  expect(await refused(own, { schedule: '* * * * * *' })).toStartWith('400 schedule: expected five fields');
  expect(await refused(own, { timezone: 'Mars' })).toStartWith('400 timezone: expected');
  expect(await refused(own, { end_time: '2020-01-01T00:00:00' })).toStartWith(
    '400 end_time: expected a time in',
  );
  expect(await refused(own, { end_time: 'soon' })).toStartWith('400 end_time: expected an ISO 8601');
  expect(await refused(own, { webhook: 'ftp://a' })).toStartWith('400 webhook: expected');
  expect(await refused(own, { assistant_id: 'nobody' })).toStartWith('404 No assistant found');
  expect(await refused('/threads/none/runs/crons', {})).toBe('404 Thread with ID none not found');
  expect(await refused(`/threads/${thread_id}/runs/crons`, { on_run_completed: 'delete' })).toStartWith(
    '400 on_run_completed: ',
  );
  expect(await crons().count()).toBe(0);
});

test('a missed time runs once on the thread, however often the service starts', async () => {
  const { thread_id } = await client().threads.create();
  const { cron_id } = await crons().createForThread(thread_id, 'counter', {
    ...{ schedule: NEVER, input: { n: 0 }, context: { by: 5 }, metadata: { team: 'x' } },
  });
  const runs = () => client().runs.list(thread_id);
  const at = Date.now() - 3_600_000;
  await missed({ [cron_id]: at });
  await until(async () => (await runs())[0]?.status === 'success');
  expect(await runs()).toMatchObject([{ metadata: { cron_id, team: 'x' } }]);
  expect((await client().threads.getState(thread_id)).values).toEqual({ n: 5 });
  const [{ next_run_date = '' } = {}] = await crons().search();
  expect(Date.parse(next_run_date ?? '')).toBeGreaterThan(Date.now());

  // As if the process had ended before it stored the cron's next time: the same time is due again.
  await missed({ [cron_id]: at });
  await until(async () => Date.parse((await crons().search())[0]?.next_run_date ?? '') > Date.now());
  expect(await runs()).toHaveLength(1);
  await missed({ [cron_id]: at + 60_000 });
  await until(async () => (await runs()).length === 2);
  await client().threads.delete(thread_id);
  expect(await crons().count()).toBe(0);
});

test('a run that its thread rejects is skipped', async () => {
  const { thread_id } = await client().threads.create();
  const { run_id } = await client().runs.create(thread_id, 'counter', { input: { n: 9 } });
  const { cron_id } = await crons().createForThread(thread_id, 'counter', {
    ...{ schedule: NEVER, input: { n: 1 }, multitaskStrategy: 'reject' },
  });
  await missed({ [cron_id]: Date.now() - 60_000 });
  await until(async () => Date.parse((await crons().search())[0]?.next_run_date ?? '') > Date.now());
  expect(await client().runs.list(thread_id)).toMatchObject([{ run_id }]);
  await client().threads.delete(thread_id);
});

test('without a thread, each run has its own, which is deleted after the run unless it should be kept', async () => {
  const payload = { schedule: NEVER, input: { n: 1 }, webhook: hook.url };
  const gone = await crons().create('counter', payload);
  const kept = await crons().create('counter', { ...payload, onRunCompleted: 'keep' });
  const at = Date.now() - 60_000;
  await missed({ [gone.cron_id]: at, [kept.cron_id]: at });
  await until(() => hook.received.length === 2);
  const threadOf = (cron: { cron_id: string }) =>
    hook.received.find(({ body }) => body.metadata.cron_id === cron.cron_id)?.body.thread_id;
  expect(hook.received.map(({ body }) => [body.status, body.values])).toEqual([
    ['success', { n: 2 }],
    ['success', { n: 2 }],
  ]);
  const threads = async () => (await client().threads.search({ limit: 100 })).map((one) => one.thread_id);
  // Once the webhook is settled, the next start deletes it at the latest.
  await missed({});
  await until(async () => !(await threads()).includes(threadOf(gone)));
  expect(await threads()).toContain(threadOf(kept));
  for (const { cron_id } of [gone, kept]) await crons().delete(cron_id);
});

test("the server's info lists crons", async () => {
  expect(await (await service.fetch('/info')).json()).toMatchObject({ flags: { crons: true } });
});
