/** The order in which servers lock runs is the same for all of them. */
import { expect, test } from 'bun:test';
import { compare, type UnitDocument } from '../../../../state/postgres/runs/unit-documents.ts';

const of = (thread: string, run_id: string | null): UnitDocument => ({ thread, run_id, lease: 1, rows: {} });

test('units are ordered by thread and run, those without a run first', () => {
  const ordered = [of('', 'b'), of('1', null), of('1', 'a'), of('1', 'b'), of('2', null)];
  for (const mixed of [ordered.toReversed(), [3, 0, 4, 1, 2].flatMap((at) => ordered[at] ?? [])])
    expect(mixed.toSorted(compare)).toEqual(ordered);
  expect(compare(of('1', 'a'), of('1', 'a'))).toBe(0);
});
