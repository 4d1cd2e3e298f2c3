/** Reciprocal rank fusion: results of both rankings come first, and each ranking has a weight. */
import { expect, test } from 'bun:test';
import { fuseRanks } from '../../../../../tools/knowledge/local/search/fuse.ts';

const ids = (scored: [string, number][]) => scored.map(([id]) => id);

test('results of two rankings come before those of one, and each counts by its rank', () => {
  const fused = fuseRanks([
    { ids: ['a', 'b'], weight: 1 },
    { ids: ['b', 'c'], weight: 1 },
  ]);
  expect(ids(fused)).toEqual(['b', 'a', 'c']);
  expect(fused[0]?.[1]).toBeCloseTo(1 / 62 + 1 / 61, 10);
});

test('a ranking with a low weight reorders the results of the other, and puts none of its own before them', () => {
  const fused = fuseRanks([
    { ids: ['x', 'c'], weight: 0.1 },
    { ids: ['a', 'b', 'c'], weight: 1 },
  ]);
  expect(ids(fused)).toEqual(['c', 'a', 'b', 'x']);
});

test('a single ranking is kept, whatever its weight', () => {
  expect(
    ids(
      fuseRanks([
        { ids: ['x', 'y'], weight: 0.1 },
        { ids: [], weight: 1 },
      ]),
    ),
  ).toEqual(['x', 'y']);
});
