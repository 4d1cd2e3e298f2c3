/** The probe: one call to a provider that was down, whatever its outcome. */
import { beforeEach, expect, test } from 'bun:test';
import { breaker } from '../../../../tools/models/call/breaker.ts';
import { callModel, type GuardedEndpoint } from '../../../../tools/models/call/call.ts';
import { until } from '../../../server/support/until.ts';
import type { Script } from '../../../support/provider.ts';
import { sharedProvider } from '../../../support/shared-provider.ts';
import { detailOf, endpointTo, errorOf, never, passing, REQUEST, recordedRun } from '../scripted.ts';

const provider = sharedProvider();
let time: number;
let line: GuardedEndpoint;

beforeEach(async () => {
  time = 0;
  line = {
    ...endpointTo(provider.url, { max_retries: 0, timeout_seconds: 0.1 }),
    breaker: breaker(() => time),
  };
  await fail(5);
  time += 5_000;
});

function call(run = recordedRun()) {
  return callModel([line], REQUEST, run);
}

async function fail(times: number, script: Script = () => passing(500)): Promise<void> {
  provider.script = script;
  for (let count = 0; count < times; count++) await detailOf(call());
}

test('of many concurrent calls, one passes, and its success allows all later ones', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  provider.script = () => promise;
  line = { ...line, endpoint: endpointTo(provider.url).endpoint };
  const calls = Array.from({ length: 10 }, () =>
    call().then(
      () => 'answered',
      ({ retryAfter }) => retryAfter,
    ),
  );
  await until(() => provider.requests.length === 6);
  resolve('ok');
  expect(await Promise.all(calls)).toEqual(['answered', ...Array(9).fill(5)]);
  expect(line.breaker.state()).toBe('closed');
  expect(await Promise.all([call(), call()])).toHaveLength(2);
});

test('a failed probe opens the breaker again', async () => {
  await fail(1);
  expect(line.breaker.state()).toBe('open');
  expect(await errorOf(call())).toMatchObject({ retryAfter: 5 });
});

test('a probe whose run is cancelled allows another one', async () => {
  provider.script = never;
  const run = new AbortController();
  const probe = errorOf(call(recordedRun({ signal: run.signal })));
  await until(() => provider.requests.length === 6);
  run.abort();
  await probe;
  provider.script = () => 'ok';
  expect(await call()).toMatchObject({ text: 'ok' });
});

test('a probe whose budget is spent allows another one', async () => {
  await detailOf(call(recordedRun({ budget: 1 })), 'BUDGET_EXCEEDED');
  provider.script = () => 'ok';
  expect(await call()).toMatchObject({ text: 'ok' });
});

test('a probe whose listener throws allows another one', async () => {
  provider.script = () => 'ok';
  await errorOf(
    call({
      ...recordedRun(),
      onToken: () => {
        throw new Error('ours');
      },
    }),
  );
  expect(await call()).toMatchObject({ text: 'ok' });
});

test("the next probe doesn't wait for one that hangs", async () => {
  provider.script = (_, index) => (index === 5 ? never() : 'ok');
  line = { ...line, endpoint: endpointTo(provider.url, { timeout_seconds: 0.5 }).endpoint };
  const probe = errorOf(call());
  await until(() => provider.requests.length === 6);
  time += 5_000;
  expect(await call()).toMatchObject({ text: 'ok' });
  await probe;
  expect(line.breaker.state()).toBe('closed');
});
