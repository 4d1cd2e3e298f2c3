/** Which errors of the provider are retried, how often, and after which delay. */
import { describe, expect, test } from 'bun:test';
import { callModel } from '../../../../tools/models/call/call.ts';
import type { ModelOptions } from '../../../../tools/models/options.ts';
import { eventStream, type Reply, scriptedProvider, USAGE } from '../../../support/provider.ts';
import { sharedProvider } from '../../../support/shared-provider.ts';
import {
  CANARY,
  detailOf,
  endpointTo,
  finishing,
  passing,
  REQUEST,
  recordedRun,
  refusal,
  reporting,
  stream,
} from '../scripted.ts';

const provider = sharedProvider();

/** Sends the replies in order, and then repeats the last one. */
function ask(
  replies: (() => Reply)[],
  { run = recordedRun(), ...more }: { run?: ReturnType<typeof recordedRun> } & Partial<ModelOptions> = {},
) {
  provider.script = (_, index) => (replies[index] ?? replies.at(-1) ?? (() => 'ok'))();
  return callModel([endpointTo(provider.url, more)], REQUEST, run);
}

const ok = () => 'It is fine.';

const RETRIED: [string, () => Reply, string][] = [
  ['500', () => passing(500), 'the provider answered 500'],
  ['503', () => passing(503), 'the provider answered 503'],
  ['429', () => passing(429), 'the provider answered 429'],
  ['408', () => passing(408), 'the provider answered 408'],
  ['a cut answer', () => stream(CANARY), "the provider's answer was cut off"],
  ['broken JSON', () => eventStream(`data: {${CANARY}\n\n`), 'the provider sent invalid JSON'],
  ['an empty answer', () => stream(finishing('stop'), reporting(USAGE)), "the provider's answer is empty"],
];

describe('three attempts in total are made after', () => {
  test.each(RETRIED)('%s', async (_, reply, detail) => {
    expect(await detailOf(ask([reply]))).toBe(`Model 'test-model': ${detail}`);
    expect(provider.requests).toHaveLength(3);
  });

  test.each(RETRIED.slice(0, 4))('%s, and the third may succeed', async (_, reply) => {
    expect((await ask([reply, reply, ok])).text).toBe('It is fine.');
    expect(provider.requests).toHaveLength(3);
  });

  test('a refused connection, with a delay before the second attempt and a longer one before the third', async () => {
    const closed = scriptedProvider();
    await closed.close();
    const started = performance.now();
    const call = callModel([endpointTo(closed.url)], REQUEST, recordedRun());
    expect(await detailOf(call)).toBe("Model 'test-model': the provider cannot be reached (ECONNREFUSED)");
    // 200 ms and 400 ms, each with a quarter of it more or less.
    expect(performance.now() - started).toBeWithin(450, 20_000);
  });
});

describe('one attempt is made after', () => {
  const ONCE: [string, () => Reply][] = [
    ...[400, 401, 403, 404, 422].map((status): [string, () => Reply] => [
      String(status),
      () => refusal(status),
    ]),
    ['an exhausted quota', () => refusal(429, { code: 'insufficient_quota' })],
    ['an answer cut at its length', () => stream(CANARY, finishing('length'))],
    ['a redirect', () => refusal(302, { headers: { location: 'http://127.0.0.1:1/' } })],
  ];

  test.each(ONCE)('%s', async (_, reply) => {
    const detail = await detailOf(ask([reply, ok]));
    expect(detail).toStartWith("Model 'test-model': the provider ");
    expect(detail).not.toContain(CANARY);
    expect(provider.requests).toHaveLength(1);
  });
});

test.each([0, 1, 4])('max_retries %i limits the attempts after the first', async (max_retries) => {
  await detailOf(ask([() => passing(500)], { max_retries }));
  expect(provider.requests).toHaveLength(max_retries + 1);
});

test('the retry waits for Retry-After', async () => {
  const started = performance.now();
  await ask([() => refusal(429, { headers: { 'retry-after': '0.3' } }), ok]);
  expect(performance.now() - started).toBeWithin(300, 20_000);
});
