/** Classifies the errors of providers: whether to retry, after which delay, whether the provider is down, or lacks a feature. */
import { describe, expect, test } from 'bun:test';
import type { ProviderError } from '../../../../tools/models/errors/provider-error.ts';
import { openEndpoint } from '../../../../tools/models/provider/endpoint.ts';
import { scriptedProvider } from '../../../support/provider.ts';
import { sharedProvider } from '../../../support/shared-provider.ts';
import { CANARY, modelAt, providerErrorOf, REQUEST, refusal } from '../scripted.ts';

const provider = sharedProvider();

function refusedWith(reply: Response): Promise<ProviderError> {
  provider.script = () => reply;
  const { complete } = openEndpoint(modelAt(provider.url));
  return providerErrorOf(complete(REQUEST, new AbortController().signal));
}

const STATUSES: [number, { retryable: boolean; meansDown: boolean }][] = [
  [302, { retryable: false, meansDown: false }],
  [400, { retryable: false, meansDown: false }],
  [401, { retryable: false, meansDown: false }],
  [402, { retryable: false, meansDown: false }],
  [403, { retryable: false, meansDown: false }],
  [404, { retryable: false, meansDown: false }],
  [408, { retryable: true, meansDown: false }],
  [409, { retryable: true, meansDown: false }],
  [422, { retryable: false, meansDown: false }],
  [425, { retryable: true, meansDown: false }],
  [429, { retryable: true, meansDown: false }],
  [500, { retryable: true, meansDown: true }],
  [502, { retryable: true, meansDown: true }],
  [503, { retryable: true, meansDown: true }],
  [529, { retryable: true, meansDown: true }],
];

test.each(STATUSES)('status %i', async (status, { retryable, meansDown }) => {
  const error = await refusedWith(refusal(status));
  expect(error).toMatchObject({ failure: 'status', status, retryable, meansDown, unsupported: undefined });
  expect(error.message).toBe(`the provider answered ${status}`);
  expect(error.cause).toBeUndefined();
});

test.each([304, 404, 503])('status %i without a body is the same', async (status) => {
  const error = await refusedWith(new Response(null, { status }));
  expect(error).toMatchObject({ failure: 'status', status, retryable: status === 503 });
});

test('a provider that refuses the connection is down, and the code of the platform says why', async () => {
  const closed = scriptedProvider();
  await closed.close();
  const { complete } = openEndpoint(modelAt(closed.url));
  const error = await providerErrorOf(complete(REQUEST, new AbortController().signal));
  expect(error).toMatchObject({
    failure: 'unreachable',
    retryable: true,
    meansDown: true,
    status: undefined,
  });
  expect(error.message).toBe('the provider cannot be reached (ECONNREFUSED)');
});

describe('Retry-After', () => {
  const waitFor = async (headers: Record<string, string>) =>
    (await refusedWith(refusal(429, { headers }))).retryAfter;

  test('is read in seconds and milliseconds, and milliseconds take precedence', async () => {
    expect(await waitFor({ 'retry-after': '2' })).toBe(2_000);
    expect(await waitFor({ 'retry-after': '0.5' })).toBe(500);
    expect(await waitFor({ 'retry-after-ms': '350' })).toBe(350);
    expect(await waitFor({ 'retry-after': '9', 'retry-after-ms': '350' })).toBe(350);
  });

  test('is read as a date, and a past date means immediately', async () => {
    const date = new Date(Date.now() + 5_000).toUTCString();
    const wait = await waitFor({ 'retry-after': date });
    expect(wait).toBeGreaterThan(3_000);
    expect(wait).toBeLessThanOrEqual(5_000);
    expect(await waitFor({ 'retry-after': new Date(0).toUTCString() })).toBe(0);
  });

  test.each([
    {},
    { 'retry-after': '' },
    { 'retry-after': 'soon' },
    { 'retry-after': 'Infinity' },
    { 'retry-after-ms': 'x' },
    { 'retry-after-ms': 'Infinity' },
  ])('%j is ignored', async (headers) =>
    expect(await waitFor(headers as Record<string, string>)).toBeUndefined(),
  );
});

describe('exhausted quota', () => {
  test.each([
    { code: 'insufficient_quota' },
    { type: 'insufficient_quota' },
    { code: 'billing_hard_limit_reached' },
    { message: 'Your credit balance is too low to access the API.' },
  ])('%j is not retried', async (error) => {
    expect(await refusedWith(refusal(429, error))).toMatchObject({
      status: 429,
      retryable: false,
      meansDown: false,
    });
  });

  test('a rate limit whose text links to the billing page is retried', async () => {
    const message = 'Rate limit reached. You can increase it at https://platform.example/account/billing.';
    expect(await refusedWith(refusal(429, { message }))).toMatchObject({ retryable: true });
  });
});

const UNSUPPORTED: [ProviderError['unsupported'], number, object][] = [
  ['response_format', 400, { message: "'response_format' is not supported with this model" }],
  ['response_format', 400, { param: 'response_format' }],
  ['response_format', 422, { message: 'json_schema: unknown variant' }],
  ['response_format', 501, { message: 'structured outputs are not implemented' }],
  ['tools', 400, { message: 'tool_choice is not available' }],
  ['tools', 404, { message: 'No endpoints found that support tool use' }],
  ['tools', 400, { message: 'this model cannot call functions' }],
  [
    undefined,
    400,
    { code: 'context_length_exceeded', message: '9000 tokens (8900 messages, 100 functions)' },
  ],
  [undefined, 400, { message: 'temperature is too high' }],
  [undefined, 403, { message: 'tools need a paid plan' }],
  [undefined, 500, { message: 'response_format crashed' }],
];

test.each(UNSUPPORTED)('a provider that lacks %j: status %i with %j', async (unsupported, status, error) => {
  const retryable = status === 500;
  expect(await refusedWith(refusal(status, { ...error }))).toMatchObject({ status, unsupported, retryable });
});

describe("the provider's message", () => {
  const saidBy = async (error: object) => (await refusedWith(refusal(400, { ...error }))).said;

  test.each([
    [{ error: { message: 'No such model: llama-9' } }, 'No such model: llama-9'],
    [
      { error: 'model "llama-9" not found, try pulling it first' },
      'model "llama-9" not found, try pulling it first',
    ],
    [{ detail: 'Not enough memory' }, 'Not enough memory'],
    [
      { detail: [{ loc: ['body', 'seed'], msg: 'Input should be a valid integer' }] },
      'body.seed: Input should be a valid integer',
    ],
    [
      { object: 'error', message: 'max_tokens must be at least 1', code: 400 },
      'max_tokens must be at least 1',
    ],
    [[{ error: { message: 'API not enabled', status: 'PERMISSION_DENIED' } }], 'API not enabled'],
    ['Only text', 'Only text'],
  ])('is found in %j', async (body, expected) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const error = await refusedWith(new Response(text, { status: 400 }));
    expect(error.said).toBe(expected);
    expect(error.sentence).toBe(`the provider answered 400: ${expected}`);
  });

  test.each(['', '<!DOCTYPE html><p>Bad gateway', '{}', '{"error": {}}'])(
    'is nothing in %j',
    async (body) => {
      const error = await refusedWith(new Response(body, { status: 400 }));
      expect(error.sentence).toBe('the provider answered 400');
    },
  );

  test.each([
    [
      `Incorrect API key provided: ${CANARY}. See the page.`,
      'Incorrect API key provided: [redacted] See the page.',
    ],
    [`Key ${CANARY.slice(0, 14)}... is wrong`, 'Key [redacted]... is wrong'],
    ['Incorrect API key provided: sk-proj-ab**********yz.', 'Incorrect API key provided: [redacted]'],
    ['header was Authorization: Bearer abc.def', 'header was Authorization: [redacted]'],
    ['cannot reach http://bob:hunter2@proxy:3128', 'cannot reach http://[redacted]@proxy:3128'],
    ['token=0123456789abcdef is expired', 'token=[redacted] is expired'],
  ])('has no keys: %s', async (message, shown) => {
    expect(await saidBy({ message })).toBe(shown);
  });

  test('is one line of at most 500 characters, without a part of a key at the end', async () => {
    expect(await saidBy({ message: 'first\r\n\tsecond\u001b[31m' })).toBe('first second [31m');
    const long = (await saidBy({ message: `${'x '.repeat(240)}${CANARY} ${'y'.repeat(5_000)}` })) ?? '';
    expect(long).toHaveLength(500);
    expect(long).toContain('[redacted]');
    expect(long).not.toContain(CANARY.slice(0, 4));
  });
});

test.each([
  [400, { code: 'context_length_exceeded', message: 'Please reduce your prompt.' }],
  [
    400,
    { message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens." },
  ],
  [400, { message: 'the request exceeds the available context size. try increasing the context size' }],
  [413, { message: 'Request too large: input tokens exceed the limit' }],
  [400, { message: 'prompt is too long: 210000 tokens > 200000 maximum' }],
  [500, { message: 'input length and `max_tokens` exceed context limit' }],
])('status %i with %j says that the input is too long, and how long it was', async (status, error) => {
  const refused = await refusedWith(refusal(status, { ...error }));
  expect(refused).toMatchObject({ tooLong: true, retryable: false, unsupported: undefined });
  const [, tokens] =
    /^the input is longer than the model's context \((\d+) tokens were sent\): /.exec(refused.sentence) ?? [];
  expect(Number(tokens)).toBeGreaterThan(4);
  expect(Number(tokens)).toBeLessThan(20);
  expect(refused.sentence).toEndWith(error.message);
});

test('an error response of any form is supported: text, HTML, broken JSON, a list, 3 MB', async () => {
  for (const body of [
    CANARY,
    `<html>${CANARY}</html>`,
    `{"error": "${CANARY}`,
    '[]',
    '"',
    CANARY.repeat(140_000),
  ]) {
    const error = await refusedWith(new Response(body, { status: 400 }));
    expect(error).toMatchObject({ failure: 'status', status: 400, retryable: false });
    expect(Bun.inspect(error)).not.toContain(CANARY);
  }
});
