/** Fallback models: called in order, only if a model fails. */
import { expect, test } from 'bun:test';
import { callModel } from '../../../../tools/models/call/call.ts';
import type { Reply } from '../../../support/provider.ts';
import { sharedProvider } from '../../../support/shared-provider.ts';
import {
  detailOf,
  endpointTo,
  errorOf,
  passing,
  REQUEST,
  recordedRun,
  refusal,
  stream,
} from '../scripted.ts';

const provider = sharedProvider();

function ask(replies: Record<string, () => Reply>, run = recordedRun()) {
  provider.script = ({ model }) => (replies[model] ?? (() => 'ok'))();
  const chain = Object.keys(replies).map((model) => endpointTo(provider.url, { model, max_retries: 1 }));
  return callModel(chain, REQUEST, run);
}

const modelsCalled = () => provider.requests.map(({ model }) => model);

test('if the model answers, no fallback is called', async () => {
  expect(await ask({ a: () => 'from a', b: () => 'from b' })).toMatchObject({ text: 'from a', model: 'a' });
  expect(modelsCalled()).toEqual(['a']);
});

test('the fallbacks are called in order, each with its own attempts', async () => {
  const called = await ask({ a: () => passing(500), b: () => refusal(400), c: () => 'from c' });
  expect(called).toMatchObject({ text: 'from c', model: 'c' });
  expect(modelsCalled()).toEqual(['a', 'a', 'b', 'c']);
});

test('if all fail, the error is that of the first', async () => {
  const call = ask({ a: () => refusal(401), b: () => refusal(403) });
  expect(await detailOf(call)).toBe("Model 'a': the provider answered 401");
  expect(modelsCalled()).toEqual(['a', 'b']);
});

test('text that the failed model has streamed is withdrawn', async () => {
  const run = recordedRun();
  await ask({ a: () => stream('half ', { error: { code: 'insufficient_quota' } }), b: () => 'whole' }, run);
  expect(run.tokens).toEqual(['half ', 'whole']);
  expect(run.restarts).toEqual([2]);
});

test('after a spent budget, no fallback is called', async () => {
  expect(
    await detailOf(ask({ a: () => 'a', b: () => 'b' }, recordedRun({ budget: 1 })), 'BUDGET_EXCEEDED'),
  ).toContain('budget is 1');
  expect(modelsCalled()).toEqual([]);
});

test('after a cancelled run, no fallback is called', async () => {
  const run = new AbortController();
  const reason = new Error('cancelled');
  const call = ask(
    {
      a: () => {
        run.abort(reason);
        return passing(500);
      },
      b: () => 'b',
    },
    recordedRun({ signal: run.signal }),
  );
  expect(await errorOf(call)).toBe(reason);
  expect(modelsCalled()).toEqual(['a']);
});

test('a call without any model fails', async () => {
  expect(await detailOf(callModel([], REQUEST, recordedRun()))).toBe('No model is configured');
});
