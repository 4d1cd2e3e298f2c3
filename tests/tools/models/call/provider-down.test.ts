/** Calls through the breaker: which errors open it, and what callers get while it is open. */
import { beforeEach, expect, test } from 'bun:test';
import { breaker } from '../../../../tools/models/call/breaker.ts';
import { callModel, type GuardedEndpoint } from '../../../../tools/models/call/call.ts';
import { eventStream, type Script, scriptedProvider } from '../../../support/provider.ts';
import { sharedProvider } from '../../../support/shared-provider.ts';
import {
  detailOf,
  endpointTo,
  errorOf,
  never,
  passing,
  REQUEST,
  recordedRun,
  refusal,
  stream,
} from '../scripted.ts';

const provider = sharedProvider();
let time: number;
let line: GuardedEndpoint;

beforeEach(() => {
  time = 0;
  line = {
    ...endpointTo(provider.url, { max_retries: 0, timeout_seconds: 0.1 }),
    breaker: breaker(() => time),
  };
});

function call(run = recordedRun()) {
  return callModel([line], REQUEST, run);
}

async function fail(times: number, script: Script = () => passing(500)): Promise<void> {
  provider.script = script;
  for (let count = 0; count < times; count++) await detailOf(call());
}

test('after five failed calls, the next one fails immediately with the time until the probe, and sends no request', async () => {
  await fail(5);
  time += 1_500;
  expect(await errorOf(call())).toMatchObject({
    code: 'MODEL_CALL_FAILED',
    detail: "Model 'test-model': it has been failing and will be tried again shortly",
    retryAfter: 4,
  });
  expect(provider.requests).toHaveLength(5);
});

test('attempts are not counted: four calls with three attempts leave it closed', async () => {
  line = { ...line, endpoint: endpointTo(provider.url, { max_retries: 2 }).endpoint };
  await fail(4);
  expect([provider.requests.length, line.breaker.state()]).toEqual([12, 'closed']);
});

const DOWN: [string, Script][] = [
  ['500', () => passing(500)],
  ['503', () => passing(503)],
  ['no answer in time', never],
];
const NOT_DOWN: [string, Script][] = [
  ...[400, 401, 404, 429].map((status): [string, Script] => [String(status), () => refusal(status)]),
  ['a Retry-After beyond the timeout', () => refusal(429, { headers: { 'retry-after': '60' } })],
  ['a cut answer', () => stream('half')],
  ['broken JSON', () => eventStream('data: {\n\n')],
  ['a web page', () => new Response('<p>', { headers: { 'content-type': 'text/html' } })],
];

test.each(DOWN)('it opens on %s', async (_, script) => {
  await fail(5, script);
  expect(line.breaker.state()).toBe('open');
});

test('it opens on a refused connection', async () => {
  const closed = scriptedProvider();
  await closed.close();
  line = { ...line, endpoint: endpointTo(closed.url, { max_retries: 0 }).endpoint };
  await fail(5);
  expect(line.breaker.state()).toBe('open');
});

test.each(NOT_DOWN)('it stays closed on %s', async (_, script) => {
  line = { ...line, endpoint: endpointTo(provider.url, { max_retries: 1, timeout_seconds: 0.1 }).endpoint };
  await fail(6, script);
  expect(line.breaker.state()).toBe('closed');
});

test('with an open breaker, the fallback is called immediately', async () => {
  await fail(5);
  provider.script = () => 'ok';
  expect(
    await callModel([line, endpointTo(provider.url, { model: 'b' })], REQUEST, recordedRun()),
  ).toMatchObject({ model: 'b' });
});
