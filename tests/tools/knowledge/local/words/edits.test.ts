/** The edit distance of words. */
import { expect, test } from 'bun:test';
import { editsBetween } from '../../../../../tools/knowledge/local/words/edits.ts';

const EDITS = [
  ['sealant', 'sealant', 0],
  ['sealent', 'sealant', 1],
  ['hemlet', 'helmet', 1],
  ['refil', 'refill', 1],
  ['chainn', 'chain', 1],
  ['hcain', 'chain', 1],
  ['', 'a', 1],
  ['ab', 'ba', 1],
  ['transacton', 'transactions', 2],
  ['chain', 'chairs', 2],
  ['abcd', 'badc', 2],
] as const;

test.each(EDITS)('between %p and %p: %p', (one, other, edits) => {
  expect([editsBetween(one, other, 2), editsBetween(other, one, 2)]).toEqual([edits, edits]);
});

test('a distance above the maximum is undefined', () => {
  for (const [one, other] of [
    ['saddle', 'sad'],
    ['abcd', 'cdab'],
    ['', 'abc'],
  ] as const)
    expect(editsBetween(one, other, 2)).toBeUndefined();
  expect(editsBetween('chain', 'chairs', 1)).toBeUndefined();
});
