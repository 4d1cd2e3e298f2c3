/** Failed deliveries are retried with delays, finally given up, and survive the end of the process. */
import { afterAll, afterEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { type Deliveries, webhookDeliveries } from '../../../server/webhooks/deliveries.ts';
import type { Send } from '../../../server/webhooks/send.ts';
import { openSqlite } from '../../../state/sqlite/open.ts';
import { webhookRun } from '../../contracts/webhooks.ts';
import { until } from '../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-deliveries-'));
const open = () => openSqlite({ path: join(folder, 'skein.db'), checkpointsPerThread: 20 });
let state = open();
const started: Deliveries[] = [];
afterEach(async () => {
  for (const one of started.splice(0)) await one.stop(0);
});
afterAll(async () => {
  await state.close();
  rmSync(folder, { recursive: true });
});

function deliveries(send: Send, pauses: number[]) {
  const lines: { msg: string; level: number; attempt?: number; to?: string; error?: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const one = webhookDeliveries({ queue: state.webhooks, send, timeoutSeconds: 1, log, pauses });
  started.push(one);
  one.start();
  return { one, lines };
}

const stateOf = async (runId: string) => (await state.webhooks.ofRun(runId))[0];

test('a failed attempt is repeated after a delay, until one gets a 2xx response', async () => {
  const answers = [500, 302, new Error('connection refused'), 204];
  const times: number[] = [];
  const { lines } = deliveries(async () => {
    const answer = answers[times.push(Date.now()) - 1] ?? 0;
    if (answer instanceof Error) throw answer;
    return answer;
  }, [20, 40, 60, 80]);
  const { runId } = await webhookRun(state);
  await until(() => lines.length === 4);
  expect((await stateOf(runId))?.attempts).toMatchObject([
    { status: 500, error: 'unexpected status 500' },
    { status: 302, error: 'unexpected status 302' },
    { status: null, error: 'connection refused' },
    { status: 204, error: null },
  ]);
  const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  for (const [index, least] of [20, 40, 60].entries())
    expect(pauses[index]).toBeGreaterThanOrEqual(least - 1);
  expect(lines.map(({ msg, attempt }) => [attempt, msg])).toEqual([
    ...[1, 2, 3].map((attempt) => [attempt, 'webhook delivery failed, will retry']),
    [4, 'webhook delivered'],
  ]);
});

test('after the last attempt the delivery is given up, with a warning that does not contain the path', async () => {
  const { lines } = deliveries(async () => 500, [1, 1]);
  const { runId } = await webhookRun(state);
  await until(() => lines.length === 3);
  expect(await stateOf(runId)).toMatchObject({ state: 'given_up', attempts: [{}, {}, {}] });
  expect(lines.at(-1)).toMatchObject({
    ...{ level: 40, msg: 'webhook given up', to: 'hooks.example.org', attempt: 3 },
  });
  expect(JSON.stringify(lines)).not.toContain('hooks.example.org/a');
});

test('a delivery that hangs does not delay others, and a stop leaves it for the next start', async () => {
  const first = await webhookRun(state);
  const sent: string[] = [];
  const hangs: Send = (delivery, stopped) => {
    sent.push(delivery.run.runId);
    if (delivery.run.runId !== first.runId) return Promise.resolve(200);
    const { promise, reject } = Promise.withResolvers<number>();
    stopped.addEventListener('abort', () => reject(new Error('stopped')));
    return promise;
  };
  const { one } = deliveries(hangs, [1]);
  await until(() => sent.length === 1);
  const { runId } = await webhookRun(state);
  await until(async () => (await stateOf(runId))?.state === 'delivered');
  await one.stop(10);
  await state.close();
  state = open();
  expect(await stateOf(first.runId)).toMatchObject({ state: 'waiting', attempts: [] });
  deliveries(async () => 200, []);
  await until(async () => (await stateOf(first.runId))?.state === 'delivered');
});
