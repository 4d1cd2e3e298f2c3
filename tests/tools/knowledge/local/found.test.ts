/** When a search says that it found something. */
import { expect, test } from 'bun:test';
import { isFound } from '../../../../tools/knowledge/local/found.ts';

const TEXT = 'Winter storage\nThe battery of an e-bike is kept at half charge, dry and at 15 degrees.';

function found(query: string, nearest = 0.1): boolean {
  return isFound({ query, nearest, threshold: 0.3, texts: ['Nothing of it.', TEXT] });
}

test('a passage that is near enough is a find, whatever its words', () => {
  expect(found('accumulators', 0.3)).toBe(true);
  expect(found('accumulators', 0.29)).toBe(false);
});

test('half of the words of a question are a find, a third are none', () => {
  expect(found('Which battery charge for my scooter and drone?')).toBe(true);
  expect(found('Which battery charge for my scooter, drone, camera and phone?')).toBe(false);
});

test('one word of two is none, and one of one is', () => {
  expect(found('symptoms of winter')).toBe(false);
  expect(found('And the batteries?')).toBe(true);
});

test('a word with a spelling mistake counts, a short one and a number do not', () => {
  expect(found('winter batery')).toBe(true);
  expect(found('drt winter')).toBe(false);
  expect(found('winter 16')).toBe(false);
});

test('the words must stand in one passage', () => {
  const texts = ['A battery.', 'A charge.'];
  expect(isFound({ query: 'battery charge', nearest: 0, threshold: 1, texts })).toBe(false);
});

test('a question without words, and no passages, are no find', () => {
  expect(found('???')).toBe(false);
  expect(isFound({ query: 'battery', nearest: undefined, threshold: 0, texts: [] })).toBe(false);
});
