/** The embedder over an OpenAI-compatible endpoint: its requests, the responses that it accepts, and which errors are retried. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { endpointEmbedder } from '../../../../tools/knowledge/embedding/endpoint.ts';
import { sharedProvider } from '../../../support/shared-provider.ts';
import { CANARY, detailOf, modelAt, passing, refusal } from '../../models/scripted.ts';
import { cosine, lengthOf } from './vectors.ts';

// Processes and their parsers take a while to start on a busy machine.
setDefaultTimeout(60_000);

interface EmbeddingRequest {
  model: string;
  input: string[];
  encoding_format: string;
}

const provider = sharedProvider();

function requests(): EmbeddingRequest[] {
  return provider.requests as unknown as EmbeddingRequest[];
}

function open(more: Parameters<typeof modelAt>[1] = {}) {
  return endpointEmbedder(modelAt(provider.url, { role: 'embedding', model: 'embed-1', ...more }));
}

/** A vector that identifies its text. */
function vectorFor(text: string): number[] {
  return [3, text.length, 4];
}

function answerTo(
  { input }: EmbeddingRequest,
  change: (data: object[]) => unknown[] = (data) => data,
): Response {
  const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorFor(text) }));
  return Response.json({ object: 'list', model: 'embed-1', data: change(data), usage: { prompt_tokens: 1 } });
}

/** Each request gets the next reply; the last one is repeated. */
function script(...replies: ((request: EmbeddingRequest) => Response | Promise<Response>)[]): void {
  provider.script = (request, index) => {
    const reply = replies[index] ?? replies.at(-1);
    if (!reply) throw new Error('nothing is scripted');
    return reply(request as unknown as EmbeddingRequest);
  };
}

test("texts are sent with the model's name and key, and vectors are normalized", async () => {
  script(answerTo);
  const embedder = open();
  const vectors = await embedder.embed(['a', 'bcd'], 'passage');
  expect(requests()).toEqual([{ model: 'embed-1', input: ['a', 'bcd'], encoding_format: 'float' }]);
  expect(provider.headers[0]?.get('authorization')).toBe('Bearer secret-key');
  expect(embedder.name).toContain('embed-1');
  for (const [index, text] of ['a', 'bcd'].entries()) {
    expect(lengthOf(vectors[index] ?? new Float32Array())).toBeCloseTo(1, 5);
    expect(cosine(vectors[index], Float32Array.from(vectorFor(text)))).toBeCloseTo(1, 5);
  }
});

test('vectors are returned in the order of the texts, whatever the order of the response', async () => {
  script(answerTo);
  const texts = ['a', 'bb', 'ccc'];
  const straight = await open().embed(texts, 'passage');
  script((request) => answerTo(request, (data) => data.toReversed()));
  expect(await open().embed(texts, 'passage')).toEqual(straight);
});

test('without texts, no call is made', async () => {
  expect(await open().embed([], 'passage')).toEqual([]);
  expect(requests()).toEqual([]);
});

test('many texts are sent in batches, which are smaller for long texts', async () => {
  script(answerTo);
  expect(
    await open().embed(
      Array.from({ length: 70 }, (_, at) => `text ${at}`),
      'passage',
    ),
  ).toHaveLength(70);
  expect(requests().map(({ input }) => input.length)).toEqual([32, 32, 6]);
  provider.requests.length = 0;
  await open().embed(
    Array.from({ length: 5 }, () => 'long '.repeat(3_000)),
    'passage',
  );
  expect(requests().map(({ input }) => input.length)).toEqual([2, 2, 1]);
});

test('a text that is too long for a model is truncated between characters', async () => {
  script(answerTo);
  await open().embed(['語'.repeat(20_000), '', '\ud800'], 'query');
  const [long = '', ...others] = requests()[0]?.input ?? [];
  expect(long).toBe('語'.repeat(8_000));
  expect(others).toEqual([' ', '\ufffd']);
});

const RETRIED: [string, () => Response, string][] = [
  ['500', () => passing(500), 'the provider answered 500'],
  ['429', () => passing(429), 'the provider answered 429'],
  ['broken JSON', () => new Response('{', JSON_HEADERS), 'the provider sent invalid JSON'],
  ['no vectors', () => Response.json({ error: CANARY }), 'the provider returned no vectors'],
  [
    'a web page',
    () => new Response(CANARY, { headers: { 'content-type': 'text/html' } }),
    'the provider sent a web page',
  ],
];
const JSON_HEADERS = { headers: { 'content-type': 'application/json' } };

test.each(RETRIED)(
  '%s is attempted three times, and the third attempt may succeed',
  async (_, reply, detail) => {
    script(reply);
    expect(await detailOf(open().embed(['a'], 'passage'))).toBe(`Model 'embed-1': ${detail}`);
    expect(requests()).toHaveLength(3);
    provider.requests.length = 0;
    script(reply, reply, answerTo);
    expect(await open().embed(['a'], 'passage')).toHaveLength(1);
  },
);

const WRONG: [string, (data: { index?: number; embedding?: unknown }[]) => unknown[], string][] = [
  ['too few', (data) => data.slice(1), 'the provider returned 1 vectors for 2 texts'],
  ['too many', (data) => [...data, ...data], 'the provider returned 4 vectors for 2 texts'],
  ['one twice', ([first]) => [first, first], 'the provider returned vectors with invalid indexes'],
  [
    'an index beyond',
    ([a, b]) => [a, { ...b, index: 7 }],
    'the provider returned vectors with invalid indexes',
  ],
  [
    'different dimensions',
    ([a, b]) => [a, { ...b, embedding: [1] }],
    'the provider returned vectors of different dimensions',
  ],
  ['an empty one', ([a, b]) => [a, { ...b, embedding: [] }], 'the provider returned an invalid vector'],
  [
    'text in one',
    ([a, b]) => [a, { ...b, embedding: [1, '2', 3] }],
    'the provider returned a vector with invalid numbers',
  ],
  [
    'a number too large',
    ([a, b]) => [a, { ...b, embedding: [1, 1e300, 3] }],
    'the provider returned a vector with invalid numbers',
  ],
  [
    'null in one',
    ([a, b]) => [a, { ...b, embedding: [1, null, 3] }],
    'the provider returned a vector with invalid numbers',
  ],
  ['zeros', ([a, b]) => [a, { ...b, embedding: [0, 0, 0] }], 'the provider returned a vector of zeros'],
  ['base64', ([a, b]) => [a, { ...b, embedding: 'AACAPw==' }], 'the provider returned an invalid vector'],
];

test.each(WRONG)('a response with %s is an error', async (_, change, detail) => {
  script((request) => answerTo(request, change));
  const call = open({ max_retries: 0 }).embed(['a', 'b'], 'passage');
  expect(await detailOf(call)).toBe(`Model 'embed-1': ${detail}`);
});

test('vectors of another dimension than before are rejected', async () => {
  const embedder = open({ max_retries: 0 });
  script(answerTo);
  await embedder.embed(['a'], 'passage');
  script(({ input }) => Response.json({ data: input.map((_, index) => ({ index, embedding: [1, 2] })) }));
  expect(await detailOf(embedder.embed(['a'], 'query'))).toBe(
    "Model 'embed-1': the provider returned vectors of different dimensions",
  );
});

test("401 and an exhausted quota are not retried, and the provider's message is not shown", async () => {
  for (const reply of [() => refusal(401), () => refusal(429, { code: 'insufficient_quota' })]) {
    provider.requests.length = 0;
    script(reply);
    expect(await detailOf(open().embed(['a'], 'passage'))).not.toContain(CANARY);
    expect(requests()).toHaveLength(1);
  }
});

test("a provider that doesn't respond fails after the model's timeout", async () => {
  script(() => new Promise<Response>(() => {}));
  expect(await detailOf(open({ timeout_seconds: 0.2 }).embed(['a'], 'passage'))).toBe(
    "Model 'embed-1': no complete answer within 0.2 s",
  );
});

test('an aborted signal ends the call with its reason', async () => {
  const controller = new AbortController();
  script(() => {
    controller.abort(new Error('enough'));
    return new Promise<Response>(() => {});
  });
  await expect(open().embed(['a'], 'passage', controller.signal)).rejects.toThrow('enough');
});

test('a provider that is down is not called repeatedly', async () => {
  script(() => passing(500));
  const embedder = open({ max_retries: 0 });
  for (let call = 0; call < 5; call++) await detailOf(embedder.embed(['a'], 'passage'));
  const before = requests().length;
  expect(await detailOf(embedder.embed(['a'], 'passage'))).toContain('it has been failing');
  expect(requests()).toHaveLength(before);
});
