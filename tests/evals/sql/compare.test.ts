/** Compares the results of two queries. */
import { expect, test } from 'bun:test';
import { sameResult } from '../../../evals/sql/compare.ts';

const ANY = { ordered: false, moreColumns: false };
const pairs = [
  ['a', 1],
  ['b', 2],
];

test('the order of rows counts only if the question asks for one', () => {
  const turned = pairs.toReversed();
  expect(sameResult(pairs, turned, ANY)).toBe(true);
  expect(sameResult(pairs, turned, { ...ANY, ordered: true })).toBe(false);
  expect(sameResult(pairs, pairs, { ...ANY, ordered: true })).toBe(true);
});

test('duplicate rows count', () => {
  expect(sameResult([[1], [1], [2]], [[1], [2], [2]], ANY)).toBe(false);
  expect(sameResult([[1]], [[1], [1]], ANY)).toBe(false);
  expect(sameResult([], [], ANY)).toBe(true);
});

test('numbers are equal within a millionth, whatever their SQL types', () => {
  expect(sameResult([['2405092.60']], [[2405092.6]], ANY)).toBe(true);
  expect(sameResult([[1 / 3]], [[0.33333334]], ANY)).toBe(true);
  expect(sameResult([[100]], [[100.001]], ANY)).toBe(false);
  expect(sameResult([[0]], [[null]], ANY)).toBe(false);
});

test('a date equals the midnight of its day', () => {
  expect(sameResult([['2024-05-01']], [['2024-05-01 00:00:00']], ANY)).toBe(true);
});

test('columns may be in another order if their values identify them', () => {
  const swapped = pairs.map(([name, count]) => [count ?? null, name ?? null]);
  expect(sameResult(pairs, swapped, ANY)).toBe(true);
  const mixed = [
    ['a', 2],
    ['b', 1],
  ];
  expect(sameResult(pairs, mixed, ANY)).toBe(false);
});

test('additional columns are correct only if the question leaves the columns open', () => {
  const wide = pairs.map((row) => ['x', ...row]);
  expect(sameResult(pairs, wide, ANY)).toBe(false);
  expect(sameResult(pairs, wide, { ...ANY, moreColumns: true })).toBe(true);
  expect(sameResult(wide, pairs, { ...ANY, moreColumns: true })).toBe(false);
});
