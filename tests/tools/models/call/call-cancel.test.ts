/** If a run is cancelled, its model call is aborted immediately and rejects with the run's reason. */
import { expect, test } from 'bun:test';
import { callModel } from '../../../../tools/models/call/call.ts';
import { openDeadline } from '../../../../tools/models/call/deadline.ts';
import { until } from '../../../server/support/until.ts';
import type { Reply } from '../../../support/provider.ts';
import { sharedProvider } from '../../../support/shared-provider.ts';
import { endpointTo, errorOf, hanging, never, REQUEST, recordedRun, refusal } from '../scripted.ts';

const provider = sharedProvider();

const REASON = new Error('cancelled by its owner');

const WAITING: [string, () => Reply | Promise<Reply>][] = [
  ['before the headers', never],
  ['after the headers', () => hanging()],
  ['in the middle of the text', () => hanging('half ')],
  ['within a refusal', () => new Response(hanging().body, { status: 500 })],
];

test.each(WAITING)("%s: the provider's connection is closed immediately", async (_, reply) => {
  provider.script = reply;
  const run = new AbortController();
  const call = errorOf(callModel([endpointTo(provider.url)], REQUEST, recordedRun({ signal: run.signal })));
  await until(() => provider.requests.length === 1);
  await Bun.sleep(30);
  Bun.gc(true);
  run.abort(REASON);
  expect(await call).toBe(REASON);
  await until(() => provider.aborted === 1, 10_000);
  expect(provider.requests).toHaveLength(1);
});

test('during the delay before a retry, no further attempt is made', async () => {
  provider.script = () => refusal(503, { headers: { 'retry-after': '0.2' } });
  const run = new AbortController();
  const call = errorOf(callModel([endpointTo(provider.url)], REQUEST, recordedRun({ signal: run.signal })));
  await until(() => provider.requests.length === 1);
  await Bun.sleep(30);
  run.abort(REASON);
  expect(await call).toBe(REASON);
  await Bun.sleep(300);
  expect(provider.requests).toHaveLength(1);
});

test('before the call, no call is made, and the cancellation takes precedence over a spent budget', async () => {
  const run = recordedRun({ signal: AbortSignal.abort(REASON), budget: 1 });
  expect(await errorOf(callModel([endpointTo(provider.url)], REQUEST, run))).toBe(REASON);
  expect(provider.requests).toHaveLength(0);
});

test("an abort without a reason has the platform's default reason", async () => {
  provider.script = never;
  const run = new AbortController();
  const call = errorOf(callModel([endpointTo(provider.url)], REQUEST, recordedRun({ signal: run.signal })));
  await until(() => provider.requests.length === 1);
  run.abort();
  expect(await call).toMatchObject({ name: 'AbortError' });
});

test("a finished call leaves no listener on the run's signal", async () => {
  provider.script = () => 'ok';
  const run = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = run.signal;
  run.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listeners++;
    addEventListener.apply(run.signal, args);
  };
  run.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    listeners--;
    removeEventListener.apply(run.signal, args);
  };
  await callModel([endpointTo(provider.url)], REQUEST, recordedRun({ signal: run.signal }));
  expect(listeners).toBe(0);
});

test('a released deadline never aborts', async () => {
  const run = new AbortController();
  const { signal, release } = openDeadline(run.signal, 20, () => new Error('late'));
  release();
  run.abort(REASON);
  await Bun.sleep(40);
  expect(signal.aborted).toBe(false);
});
