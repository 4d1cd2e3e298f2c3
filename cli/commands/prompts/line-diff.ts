/** What differs between two texts, line by line. */
import { diffArrays } from 'diff';

// The time grows with the square of the changes: half a second at this limit.
const MAX_CHANGES = 2_000;

/** Lines of both texts with `-`, `+` or a blank. If too many lines differ, all of them are replaced. */
export function lineDiff(before: string, after: string): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const parts = diffArrays(old, now, { maxEditLength: MAX_CHANGES }) ?? [
    { removed: true, added: false, value: old },
    { removed: false, added: true, value: now },
  ];
  return parts.flatMap(({ removed, added, value }) => {
    const sign = removed ? '-' : added ? '+' : ' ';
    return value.map((line) => `${sign}${line}`);
  });
}
