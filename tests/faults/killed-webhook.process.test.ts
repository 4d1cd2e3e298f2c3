/** A process that is killed while it sends a webhook: the next one sends it with the same ID. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { until } from '../server/support/until.ts';
import { receiver } from '../server/webhooks/receiver.ts';
import { spawnService } from '../support/process.ts';
import { writeGraphs } from '../support/service.ts';
import { ON_POSTGRES } from '../support/test-state.ts';

const GRAPH = `
export default new StateGraph(Annotation.Root({ n: Annotation() }))
  .addNode('one', ({ n }) => ({ n: n + 1 })).addEdge(START, 'one').compile();`;

const folder = mkdtempSync(join(tmpdir(), 'skein-killed-webhook-'));
const hook = receiver();
afterAll(async () => {
  await hook.close();
  rmSync(folder, { recursive: true });
});

// On a file, the next process knows that it is alone; servers that share a database wait until no other can still be sending it.
const SENT_AGAIN_MS = ON_POSTGRES ? 100_000 : 20_000;

test('it is sent again after the start, and then never again', async () => {
  await writeGraphs(folder, { counter: GRAPH });
  await Bun.write(join(folder, 'config.yml'), 'webhooks: {allowed_hosts: [127.0.0.1]}');
  hook.answer = () => new Promise<Response>(() => {});
  const first = await spawnService(folder);
  const client = new Client({ apiUrl: first.url, apiKey: null });
  const { thread_id } = await client.threads.create();
  const { run_id } = await client.runs.create(thread_id, 'counter', { input: { n: 1 }, webhook: hook.url });
  await until(() => hook.received.length === 1, 20_000);
  first.kill('SIGKILL');
  await first.exited;

  hook.answer = () => new Response();
  for (const count of [2, 2]) {
    const next = await spawnService(folder);
    await until(() => hook.received.length === count, SENT_AGAIN_MS);
    // The delivery is recorded by then.
    await new Client({ apiUrl: next.url, apiKey: null }).runs.wait(thread_id, 'counter', { input: { n: 1 } });
    next.kill('SIGTERM');
    await next.exited;
  }
  expect(hook.received.map(({ body }) => [body.run_id, body.status, body.values])).toEqual([
    [run_id, 'success', { n: 2 }],
    [run_id, 'success', { n: 2 }],
  ]);
  const ids = hook.received.map(({ headers }) => headers.get('x-skein-delivery'));
  expect(new Set(ids).size).toBe(1);
}, 180_000);
