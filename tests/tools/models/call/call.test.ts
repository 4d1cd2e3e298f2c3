/** The effects of a model call on a run: the answer, restarts and usage. */
import { describe, expect, test } from 'bun:test';
import { callModel } from '../../../../tools/models/call/call.ts';
import type { ModelOptions } from '../../../../tools/models/options.ts';
import { type Reply, USAGE } from '../../../support/provider.ts';
import { sharedProvider } from '../../../support/shared-provider.ts';
import {
  detailOf,
  endpointTo,
  errorOf,
  finishing,
  passing,
  REQUEST,
  recordedRun,
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

test('returns the answer, its model and its usage', async () => {
  const run = recordedRun();
  expect(await ask([ok], { run })).toEqual({
    text: 'It is fine.',
    toolCalls: [],
    finish: 'stop',
    model: 'test-model',
    usage: { inputTokens: 20, outputTokens: 10 },
  });
  expect(run.used).toEqual({ inputTokens: 20, outputTokens: 10 });
  expect(run.tokens).toEqual(['It ', 'is ', 'fine.']);
});

test("the temperature is the request's, else the model's, else the provider's", async () => {
  const line = endpointTo(provider.url, { temperature: 0.7 });
  await callModel([line], REQUEST, recordedRun());
  await callModel([line], { ...REQUEST, temperature: 0 }, recordedRun());
  await callModel([endpointTo(provider.url)], REQUEST, recordedRun());
  expect(provider.requests.map(({ temperature }) => temperature)).toEqual([0.7, 0, undefined]);
});

describe('a restart is reported', () => {
  test('if text had been streamed before', async () => {
    const run = recordedRun();
    await ask([() => stream('half '), () => passing(500), () => stream('half '), ok], {
      run,
      max_retries: 3,
    });
    expect(run.tokens).toEqual(['half ', 'half ', 'It ', 'is ', 'fine.']);
    expect(run.restarts).toEqual([2, 4]);
  });

  test('only if there was text', async () => {
    const run = recordedRun();
    await ask([() => passing(500), ok], { run });
    expect(run.restarts).toEqual([]);
  });
});

describe('the budget', () => {
  test('is checked before the first attempt', async () => {
    const call = ask([ok], { run: recordedRun({ budget: 5 }) });
    expect(await detailOf(call, 'BUDGET_EXCEEDED')).toBe(
      '0 tokens are used, the next call needs about 9, the budget is 5',
    );
    expect(provider.requests).toHaveLength(0);
  });

  test('is checked before each retry, and includes the usage of failed attempts', async () => {
    const run = recordedRun({ budget: 35 });
    const empty = () => stream(finishing('stop'), reporting(USAGE));
    expect(await detailOf(ask([empty], { run }), 'BUDGET_EXCEEDED')).toStartWith('30 tokens are used');
    expect(provider.requests).toHaveLength(1);
  });

  test('usage adds up over attempts', async () => {
    const run = recordedRun();
    await ask([() => stream('half ', reporting(USAGE)), () => passing(500), ok], { run });
    expect(run.used).toEqual({ inputTokens: 40, outputTokens: 20 });
  });
});

test('an error of the listener is thrown unchanged, after one attempt', async () => {
  const ours = new Error('the log is full');
  const run = {
    ...recordedRun(),
    onToken: () => {
      throw ours;
    },
  };
  expect(await errorOf(ask([ok], { run }))).toBe(ours);
  expect(provider.requests).toHaveLength(1);
});
