/** Reciprocal rank fusion: what both orders have comes first, and a weight says what an order counts. */
import { expect, test } from 'bun:test';
import { fuseRanks } from '../../../../../tools/knowledge/local/search/fuse.ts';

const ids = (scored: [string, number][]) => scored.map(([id]) => id);

test('what two orders have is before what one has, and each counts by its place', () => {
  const fused = fuseRanks([
    { ids: ['a', 'b'], weight: 1 },
    { ids: ['b', 'c'], weight: 1 },
  ]);
  expect(ids(fused)).toEqual(['b', 'a', 'c']);
  expect(fused[0]?.[1]).toBeCloseTo(1 / 62 + 1 / 61, 10);
});

test('a light order moves what the other has, and puts nothing of its own before it', () => {
  const fused = fuseRanks([
    { ids: ['x', 'c'], weight: 0.1 },
    { ids: ['a', 'b', 'c'], weight: 1 },
  ]);
  expect(ids(fused)).toEqual(['c', 'a', 'b', 'x']);
});

test('an order that stands alone is kept, however light', () => {
  expect(
    ids(
      fuseRanks([
        { ids: ['x', 'y'], weight: 0.1 },
        { ids: [], weight: 1 },
      ]),
    ),
  ).toEqual(['x', 'y']);
});
