/** The lines of two texts, side by side: which stayed, went and came. */
import { diffArrays } from 'diff';

export interface DiffLine {
  kind: 'same' | 'removed' | 'added';
  text: string;
  /** Counted from 1 in the text that has the line. */
  before: number | undefined;
  after: number | undefined;
}

// The time grows with the square of the changes, to a tenth of a second here.
const MOST_CHANGES = 1_000;

export function lineDiff(before: string, after: string): DiffLine[] {
  return numbered(listDiff(before.split('\n'), after.split('\n')));
}

/** The same for the parts of any two lists. Of lists that differ in too many parts all are replaced. */
export function listDiff(old: string[], now: string[]): Step[] {
  const stretches = diffArrays(old, now, { maxEditLength: MOST_CHANGES }) ?? [
    { removed: true, added: false, value: old },
    { removed: false, added: true, value: now },
  ];
  return stretches.flatMap(({ removed, added, value }) => {
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
