/** The cost of a call in tokens: as the provider reports it, or counted if the report is missing or absurd. */
import { describe, expect, test } from 'bun:test';
import { type CompletionRequest, openEndpoint } from '../../../../tools/models/provider/endpoint.ts';
import { eventStream, type Reply, USAGE } from '../../../support/provider.ts';
import { sharedProvider } from '../../../support/shared-provider.ts';
import { event, finishing, modelAt, providerErrorOf, REQUEST, reporting, stream } from '../scripted.ts';

const TOOL = { tools: [{ type: 'function', function: { name: 'shape', parameters: {} } }] };

const provider = sharedProvider();

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

  test.each([...ABSURD, {}, 'none', [[]], 7])('%j is absurd, so the tokenizer counts', async (usage) => {
    expect((await reported(usage)).usage).toEqual({ inputTokens: 9, outputTokens: 6 });
  });

  test('NaN is invalid JSON, so the answer is invalid', async () => {
    const body = `${event('text')}data: {"choices": [], "usage": {"prompt_tokens": NaN}}\n\n`;
    await expect(ask(() => eventStream(body))).rejects.toThrow('the provider sent invalid JSON');
  });

  test('that is missing is counted, including tool calls', async () => {
    expect((await reported()).usage).toEqual({ inputTokens: 9, outputTokens: 6 });
    const call = { index: 0, function: { arguments: '{"a": 1}' } };
    const part = { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: 'stop' }] };
    expect((await ask(() => stream(part), { format: TOOL })).usage.outputTokens).toBe(6);
  });
});

describe('the usage of a failed attempt', () => {
  const costOf = async (reply: () => Reply) => (await providerErrorOf(ask(reply))).usage;

  test('is the reported one', async () => {
    expect(await costOf(() => stream(finishing('stop'), reporting(USAGE)))).toEqual({
      inputTokens: 20,
      outputTokens: 10,
    });
  });

  test('is counted if it had begun to answer without a report', async () => {
    expect(await costOf(() => stream('Stop and send a photo.'))).toEqual({ inputTokens: 9, outputTokens: 6 });
  });

  test('is zero if it did not answer', async () => {
    expect(await costOf(() => new Response('', { status: 500 }))).toBeUndefined();
    expect(
      await costOf(() => new Response('', { headers: { 'content-type': 'text/html' } })),
    ).toBeUndefined();
  });
});
