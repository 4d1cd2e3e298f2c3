/** The built-in embedder: similar texts, unrelated texts, and yielding to other work. */
import { expect, test } from 'bun:test';
import { HASHED, hashedEmbedder } from '../../../../tools/knowledge/embedding/hashed.ts';
import { cosine, lengthOf } from './vectors.ts';

const embedder = hashedEmbedder();

async function nearness(first: string, second: string): Promise<number> {
  const [a, b] = await embedder.embed([first, second], 'passage');
  return cosine(a, b);
}

const CHAIN =
  'Clean the chain with a cloth, let it dry, and put one drop of oil on every link. Wipe off the rest.';

test('a text has the same vector every time, and in every embedder with the same options', async () => {
  const [first] = await embedder.embed([CHAIN], 'passage');
  const [second] = await hashedEmbedder().embed([CHAIN], 'query');
  expect(second).toEqual(first as Float32Array);
  expect(hashedEmbedder().name).toBe(embedder.name);
});

test('an embedder with other options has another name', () => {
  expect(hashedEmbedder({ gramsWeight: 0.1 }).name).not.toBe(embedder.name);
});

test('every vector has the right dimension and length 1, even for texts without words', async () => {
  const texts = ['', ' ', '?!', 'a', CHAIN, 'the of and', '自転車の修理', '\ud800', 'x'.repeat(100_000)];
  for (const vector of await embedder.embed(texts, 'passage')) {
    expect(vector).toHaveLength(HASHED.dimension);
    expect(lengthOf(vector)).toBeCloseTo(1, 5);
  }
});

// Separates texts about a chain from others.
const NEAR = 0.28;

const RELATED: [query: string, passage: string][] = [
  ['How do I oil my chain?', CHAIN],
  ['cleaning chains', CHAIN],
  ['What does the guarantee of a frame cover?', 'The frame is covered by a guarantee of five years.'],
  ['inflating tyres', 'Inflate each tire until it is firm.'],
  ['recieve a refund', 'You receive the refund within ten days.'],
  ['réparation du vélo', 'La reparation du velo prend deux jours.'],
  ['自転車の修理', '店では自転車の修理を毎日しています。'],
];

test.each(RELATED)('%s is similar to: %s', async (query, passage) => {
  expect(await nearness(query, passage)).toBeGreaterThan(NEAR);
});

const UNRELATED = [
  'Who wrote Hamlet?',
  'What is the capital of France?',
  'Which wine goes with salmon?',
  'How do I get a mortgage?',
  'Tell me about the of and.',
  '???',
];

test.each(UNRELATED)('%s is unrelated to a chain', async (query) => {
  expect(Math.abs(await nearness(query, CHAIN))).toBeLessThan(NEAR);
});

test('the passage with the answer is nearer than its neighbours', async () => {
  const passages = [
    CHAIN,
    'Check the brakes before every ride.',
    'A frame that fits lets you stand over it.',
  ];
  const [query, ...vectors] = await embedder.embed(['Are my brakes fine to ride?', ...passages], 'passage');
  const scores = vectors.map((vector) => cosine(query, vector));
  expect(scores.indexOf(Math.max(...scores))).toBe(1);
});

test('the event loop is not blocked while many texts are embedded, and a signal aborts it', async () => {
  const texts = Array.from({ length: 20_000 }, (_, at) => `${CHAIN} Number ${at} of ${at * 7}.`);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await embedder.embed(texts.slice(0, 5_000), 'passage');
  clearInterval(timer);
  expect(turns).toBeGreaterThan(1);
  const controller = new AbortController();
  const all = embedder.embed(texts, 'passage', controller.signal);
  setImmediate(() => controller.abort(new Error('enough')));
  await expect(all).rejects.toThrow('enough');
});
