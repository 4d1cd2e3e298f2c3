/** What counts as a find, and how two orders become one. */
import { expect, test } from 'bun:test';
import { isFound } from '../../../../../graphs/tools/library/local/found.ts';
import { fuseRanks } from '../../../../../graphs/tools/library/local/fuse.ts';

const asked = (query: string, texts: string[], nearest?: number) =>
  isFound({ query, nearest, threshold: 0.3, texts });

test('a passage that is near enough in meaning is a find, whatever its words', () => {
  expect(asked('anything', [], 0.3)).toBe(true);
  expect(asked('anything', [], 0.29)).toBe(false);
  expect(asked('anything', [])).toBe(false);
});

test('a passage with most of the words that say something is a find, in any of their forms', () => {
  const texts = ['Charging a battery below freezing harms it.'];
  expect(asked('Where are the batteries charged?', texts, 0)).toBe(true);
  expect(asked('batteries of the president', texts, 0)).toBe(false);
  expect(asked('battery freezing president', texts, 0)).toBe(true);
});

test('words of different passages do not add up, and those that say nothing do not count', () => {
  expect(asked('battery freezing', ['A battery.', 'It is freezing.'], 0)).toBe(false);
  expect(asked('what is the', ['What is the matter?'], 0)).toBe(false);
  expect(asked('', [''], 0)).toBe(false);
});

test('what both orders have comes before what is first in one of them', () => {
  const fused = fuseRanks([
    ['a', 'b', 'c'],
    ['d', 'b'],
  ]);
  expect(fused.map(([id]) => id)).toEqual(['b', 'a', 'd', 'c']);
  expect(fused[0]?.[1]).toBeCloseTo(2 / 62);
  expect(fuseRanks([[], []])).toEqual([]);
});
