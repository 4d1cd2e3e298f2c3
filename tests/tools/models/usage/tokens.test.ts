/** Token counts: the estimate for bounds, and the tokenizer for calls without reported usage. */
import { expect, test } from 'bun:test';
import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { loadTokenizer } from '../../../../tools/models/usage/tokenizer.ts';
import { countTokens, estimateTextTokens, estimateTokens } from '../../../../tools/models/usage/tokens.ts';

const reference = new Tiktoken(o200k);
const { count } = await loadTokenizer();

const TEXTS = [
  '',
  'Hello, world!',
  "I'll say it's DON'T",
  'Der Fahrradkurier überquert die Straße: 3.1415 €',
  '自行车的刹车坏了,怎么办?',
  'مرحبا بالعالم',
  '🚲🔧👨‍👩‍👧',
  'function f(x) {\n\treturn x ** 2; // 12345678\r\n}\n\n\n',
  '<|endoftext|> is no more than text',
  '\ud800 half a character',
  await Bun.file(import.meta.path).text(),
];

test.each(TEXTS)("the tokenizer counts as the vocabulary's own encoder does: %j", (text) => {
  expect(count(text)).toBe(reference.encode(text, [], []).length);
});

const letters = (first: number, size: number) =>
  Array.from({ length: 10_000 }, (_, index) => String.fromCodePoint(first + ((index * 7_919) % size))).join(
    '',
  );

const HOSTILE: [string, string][] = [
  ['one letter', 'a'.repeat(10_000)],
  ['one capital', 'A'.repeat(10_000)],
  ['blanks', ' '.repeat(10_000)],
  ['line ends', '\n'.repeat(10_000)],
  ['points', '.'.repeat(10_000)],
  ['many letters without a blank', letters(97, 26)],
  ['Chinese without a stop', letters(0x4e00, 20_000)],
  ['emoji', letters(0x1f300, 500)],
];

// The encoder of js-tiktoken takes 20 s and more for the longest of these.
test.each(HOSTILE)('a long run of %s is counted in linear time', (_, text) => {
  const started = performance.now();
  expect(count(text)).toBeGreaterThan(70);
  expect(performance.now() - started).toBeLessThan(2_000);
});

test('a call is counted by its messages and its answer', async () => {
  const messages = [{ content: 'Hello, world!' }, { content: 'How are you?' }];
  // 4 tokens each for the text of the messages, 4 for each message's frame.
  expect(await countTokens(messages, 'Fine.')).toEqual({ inputTokens: 16, outputTokens: 2 });
  expect(await countTokens([], '')).toEqual({ inputTokens: 0, outputTokens: 0 });
});

test('a long call is sampled quickly, with a count near the exact one', async () => {
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(20_000);
  const started = performance.now();
  const used = await countTokens([{ content: text }, { content: 'short' }], 'a'.repeat(1_000_000));
  expect(performance.now() - started).toBeLessThan(2_000);
  expect(used.inputTokens / 200_000).toBeWithin(0.98, 1.02);
  expect(used.outputTokens / 125_000).toBeWithin(0.98, 1.02);
});

test('the tokenizer is loaded in slices, without blocking the event loop', async () => {
  let turns = 0;
  let loading = true;
  const turn = () => {
    turns++;
    if (loading) setTimeout(turn, 0);
  };
  turn();
  await loadTokenizer();
  loading = false;
  // The vocabulary has 200 000 tokens.
  expect(turns).toBeGreaterThan(10);
});

test('the estimate is one token for four bytes, rounded up, and four for each message', () => {
  expect(['', 'a', 'four', 'fives', 'éé', '🚲🚲'].map(estimateTextTokens)).toEqual([0, 1, 1, 2, 1, 2]);
  expect(estimateTokens([{ content: 'four' }, { content: '' }])).toBe(9);
});
