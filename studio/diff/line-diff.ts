/** A line diff of two texts. */
import { diffArrays } from 'diff';

export interface DiffLine {
  kind: 'same' | 'removed' | 'added';
  text: string;
  /** The line number in the old text, from 1; undefined for an added line. */
  before: number | undefined;
  /** The line number in the new text, from 1; undefined for a removed line. */
  after: number | undefined;
}

// The time is quadratic in the number of changes, a tenth of a second at this limit.
const MAX_CHANGES = 1_000;

export function lineDiff(before: string, after: string): DiffLine[] {
  return numbered(listDiff(linesOf(before), linesOf(after)));
}

/** An empty text has no line, rather than an empty one. */
const linesOf = (text: string) => (text === '' ? [] : text.split('\n'));

/** A diff of two lists. If there are too many changes, the whole list counts as replaced. */
export function listDiff(old: string[], now: string[]): Step[] {
  const hunks = diffArrays(old, now, { maxEditLength: MAX_CHANGES }) ?? [
    { removed: true, added: false, value: old },
    { removed: false, added: true, value: now },
  ];
  return hunks.flatMap(({ removed, added, value }) => {
    const kind = removed ? 'removed' : added ? 'added' : 'same';
    return value.map((text): Step => ({ kind, text }));
  });
}

export type Step = Pick<DiffLine, 'kind' | 'text'>;

function numbered(steps: Step[]): DiffLine[] {
  let [before, after] = [0, 0];
  return steps.map(({ kind, text }) => {
    if (kind !== 'added') before++;
    if (kind !== 'removed') after++;
    return {
      ...{ kind, text },
      before: kind === 'added' ? undefined : before,
      after: kind === 'removed' ? undefined : after,
    };
  });
}
