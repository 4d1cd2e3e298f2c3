/** When two results are the same answer. */
import { expect, test } from 'bun:test';
import { sameResult } from '../../../evals/sql/compare.ts';

const ANY = { ordered: false, moreColumns: false };
const pairs = [
  ['a', 1],
  ['b', 2],
];

test('the order of rows counts only where the question asks for one', () => {
  const turned = pairs.toReversed();
  expect(sameResult(pairs, turned, ANY)).toBe(true);
  expect(sameResult(pairs, turned, { ...ANY, ordered: true })).toBe(false);
  expect(sameResult(pairs, pairs, { ...ANY, ordered: true })).toBe(true);
});

test('every row counts as often as it is there', () => {
  expect(sameResult([[1], [1], [2]], [[1], [2], [2]], ANY)).toBe(false);
  expect(sameResult([[1]], [[1], [1]], ANY)).toBe(false);
  expect(sameResult([], [], ANY)).toBe(true);
});

test('numbers are the same within a millionth, however they are typed', () => {
  expect(sameResult([['2405092.60']], [[2405092.6]], ANY)).toBe(true);
  expect(sameResult([[1 / 3]], [[0.33333334]], ANY)).toBe(true);
  expect(sameResult([[100]], [[100.001]], ANY)).toBe(false);
  expect(sameResult([[0]], [[null]], ANY)).toBe(false);
});

test('a date is the midnight of its day', () => {
  expect(sameResult([['2024-05-01']], [['2024-05-01 00:00:00']], ANY)).toBe(true);
});

test('columns may change places where their values tell them apart', () => {
  const swapped = pairs.map(([name, count]) => [count ?? null, name ?? null]);
  expect(sameResult(pairs, swapped, ANY)).toBe(true);
  const mixed = [
    ['a', 2],
    ['b', 1],
  ];
  expect(sameResult(pairs, mixed, ANY)).toBe(false);
});

test('more columns are right only where the question leaves them open', () => {
  const wide = pairs.map((row) => ['x', ...row]);
  expect(sameResult(pairs, wide, ANY)).toBe(false);
  expect(sameResult(pairs, wide, { ...ANY, moreColumns: true })).toBe(true);
  expect(sameResult(wide, pairs, { ...ANY, moreColumns: true })).toBe(false);
});
