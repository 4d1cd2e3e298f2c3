/** How long a call may take: its model's timeout_seconds, never less, and at most the larger of 10 % and 250 ms more. */
import { describe, expect, test } from 'bun:test';
import { callModel } from '../../../../tools/models/call/call.ts';
import { until } from '../../../server/support/until.ts';
import type { Reply } from '../../../support/provider.ts';
import { sharedProvider } from '../../../support/shared-provider.ts';
import {
  detailOf,
  endpointTo,
  errorOf,
  event,
  flowing,
  hanging,
  never,
  passing,
  REQUEST,
  recordedRun,
  refusal,
} from '../scripted.ts';

const SECONDS = 0.4;
const LATE = "Model 'test-model': no complete answer within 0.4 s";

const provider = sharedProvider();

/** Expects the call to fail in time, and returns the error's detail. */
async function lateDetail(
  reply: () => Reply | Promise<Reply>,
  milliseconds = SECONDS * 1_000,
): Promise<string | undefined> {
  provider.script = reply;
  const started = performance.now();
  const line = endpointTo(provider.url, { timeout_seconds: milliseconds / 1_000 });
  const detail = await detailOf(callModel([line], REQUEST, recordedRun()));
  expect(performance.now() - started).toBeWithin(milliseconds, milliseconds + 10_000);
  return detail;
}

async function* slowEvents() {
  for (;;) {
    yield event('drip ');
    await Bun.sleep(20);
  }
}

const HANGING: [string, () => Reply | Promise<Reply>][] = [
  ['before the headers', never],
  ['after the headers', () => hanging()],
  ['in the middle of the text', () => hanging('half ')],
  ['before a refusal ends', () => new Response(hanging().body, { status: 500 })],
  [
    'in one document',
    () => new Response(hanging().body, { headers: { 'content-type': 'application/json' } }),
  ],
  ['never, but drips', () => flowing(slowEvents())],
];

test.each(HANGING)('a call to a provider that hangs %s is aborted in time', async (_, reply) => {
  expect(await lateDetail(reply)).toBe(LATE);
  expect(provider.requests).toHaveLength(1);
  await until(() => provider.aborted === 1, 1_000);
});

test('a longer timeout is just as exact', async () => {
  expect(await lateDetail(never, 1_500)).toBe("Model 'test-model': no complete answer within 1.5 s");
});

test("retries share the call's timeout", async () => {
  expect(
    await lateDetail(async () => {
      await Bun.sleep(150);
      return passing(500);
    }),
  ).toBe(LATE);
  expect(provider.requests.length).toBeWithin(2, 4);
});

describe('a Retry-After beyond the timeout', () => {
  test.each(['5', '3600', '99999999999', new Date(Date.now() + 3_600_000).toUTCString()])(
    "(%s) fails at the timeout with the provider's message",
    async (wait) => {
      const detail = await lateDetail(() => refusal(429, { headers: { 'retry-after': wait } }));
      expect(detail).toBe("Model 'test-model': the provider answered 429");
      expect(provider.requests).toHaveLength(1);
    },
  );

  test("and the run's deadline fails at the deadline, with the run's reason", async () => {
    provider.script = () => refusal(429, { headers: { 'retry-after': '5' } });
    const run = new AbortController();
    const reason = new Error('the run is over');
    const started = performance.now();
    setTimeout(() => run.abort(reason), 300);
    const call = callModel([endpointTo(provider.url)], REQUEST, recordedRun({ signal: run.signal }));
    expect(await errorOf(call)).toBe(reason);
    expect(performance.now() - started).toBeLessThan(4_500);
    expect(provider.requests).toHaveLength(1);
  });
});

test('a slow answer within the timeout succeeds', async () => {
  async function* slow() {
    for (const word of ['a ', 'b ', 'c ']) {
      yield event(word);
      await Bun.sleep(80);
    }
    yield event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  }
  provider.script = () => flowing(slow());
  expect(
    await callModel([endpointTo(provider.url, { timeout_seconds: 20 })], REQUEST, recordedRun()),
  ).toMatchObject({ text: 'a b c ' });
});

test('each fallback has its own timeout', async () => {
  provider.script = ({ model }) => (model === 'a' ? never() : 'from b');
  const chain = ['a', 'b'].map((model) => endpointTo(provider.url, { model, timeout_seconds: 0.2 }));
  expect(await callModel(chain, REQUEST, recordedRun())).toMatchObject({ text: 'from b', model: 'b' });
});
