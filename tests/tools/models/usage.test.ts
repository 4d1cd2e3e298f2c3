/** What a call cost, in tokens: as the provider reports it, counted where it reports nothing that makes sense. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type CompletionRequest, openEndpoint } from '../../../tools/models/endpoint.ts';
import { eventStream, type Provider, type Reply, scriptedProvider, USAGE } from '../../support/provider.ts';
import { event, finishing, modelAt, providerErrorOf, REQUEST, reporting, stream } from './scripted.ts';

const TOOL = { tools: [{ type: 'function', function: { name: 'shape', parameters: {} } }] };

let provider: Provider;

beforeAll(() => {
  provider = scriptedProvider();
});
afterAll(() => provider.close());

function ask(reply: () => Reply, more: Partial<CompletionRequest> = {}) {
  provider.script = reply;
  const { complete } = openEndpoint(modelAt(provider.url));
  return complete({ ...REQUEST, ...more }, new AbortController().signal);
}

describe('usage', () => {
  const reported = (...usages: unknown[]) =>
    ask(() => stream('Stop and send a photo.', finishing('stop'), ...usages.map(reporting)));

  test('is that of the last chunk that has one', async () => {
    const usages = [
      { prompt_tokens: 1, completion_tokens: 1 },
      { prompt_tokens: 1, completion_tokens: 2 },
      null,
    ];
    expect((await reported(...usages)).usage).toEqual({ inputTokens: 1, outputTokens: 2 });
  });

  const ABSURD = [
    [-1, 5],
    [5, -1],
    [1e18, 5],
    [5, 1e18],
    ['5', '5'],
    [null, 5],
    [1.5, 5],
    [0, 0],
    [{}, []],
  ].map(([prompt_tokens, completion_tokens]) => ({ prompt_tokens, completion_tokens }));

  test.each([...ABSURD, {}, 'none', [[]], 7])('%j makes no sense: the tokenizer counts', async (usage) => {
    expect((await reported(usage)).usage).toEqual({ inputTokens: 9, outputTokens: 6 });
  });

  test('NaN makes no JSON: the answer is broken', async () => {
    const body = `${event('text')}data: {"choices": [], "usage": {"prompt_tokens": NaN}}\n\n`;
    await expect(ask(() => eventStream(body))).rejects.toThrow('the provider sent invalid JSON');
  });

  test('that is missing is counted, over a tool call too', async () => {
    expect((await reported()).usage).toEqual({ inputTokens: 9, outputTokens: 6 });
    const call = { index: 0, function: { arguments: '{"a": 1}' } };
    const part = { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: 'stop' }] };
    expect((await ask(() => stream(part), { format: TOOL })).usage.outputTokens).toBe(6);
  });
});

describe('what a failed attempt cost', () => {
  const costOf = async (reply: () => Reply) => (await providerErrorOf(ask(reply))).usage;

  test('is what the provider reports', async () => {
    expect(await costOf(() => stream(finishing('stop'), reporting(USAGE)))).toEqual({
      inputTokens: 20,
      outputTokens: 10,
    });
  });

  test('is counted where it had begun to answer and reports nothing', async () => {
    expect(await costOf(() => stream('Stop and send a photo.'))).toEqual({ inputTokens: 9, outputTokens: 6 });
  });

  test('is nothing where it did not answer', async () => {
    expect(await costOf(() => new Response('', { status: 500 }))).toBeUndefined();
    expect(
      await costOf(() => new Response('', { headers: { 'content-type': 'text/html' } })),
    ).toBeUndefined();
  });
});
