/** Compares a result with an earlier one, case by case. */
import type { JudgedCase } from '../data/datasets.ts';

/** In the order in which they are shown. */
export const CHANGES = {
  broke: 'Regressed',
  failing: 'Failing',
  fixed: 'Fixed',
  passing: 'Passing',
} as const;
export type Change = keyof typeof CHANGES;

export interface ComparedCase {
  now: JudgedCase;
  before: JudgedCase | undefined;
}

export function compared(
  now: readonly JudgedCase[],
  before: readonly JudgedCase[] = [],
): Record<Change, ComparedCase[]> {
  const earlier = new Map(before.map((one) => [one.key, one]));
  const groups: Record<Change, ComparedCase[]> = { broke: [], failing: [], fixed: [], passing: [] };
  for (const one of now) {
    const was = earlier.get(one.key);
    groups[changeOf(one, was)].push({ now: one, before: was });
  }
  return groups;
}

function changeOf(now: JudgedCase, before: JudgedCase | undefined): Change {
  if (before === undefined || before.right === now.right) return now.right ? 'passing' : 'failing';
  return now.right ? 'fixed' : 'broke';
}
