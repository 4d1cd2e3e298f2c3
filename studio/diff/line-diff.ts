/** The lines of two texts, side by side: which stayed, went and came. */

export interface DiffLine {
  kind: 'same' | 'removed' | 'added';
  text: string;
  /** Counted from 1 in the text that has the line. */
  before: number | undefined;
  after: number | undefined;
}

// The table of a comparison has the product of both lengths: beyond this the middle is taken as all new.
const MOST_CELLS = 4_000_000;

/** By the longest common subsequence, between the beginning and the end that both share. */
export function lineDiff(before: string, after: string): DiffLine[] {
  return numbered(listDiff(before.split('\n'), after.split('\n')));
}

/** The same for the parts of any two lists. */
export function listDiff(old: string[], now: string[]): Step[] {
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail))
    tail++;
  const middle = between(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
  const same = (texts: string[]): Step[] => texts.map((text) => ({ kind: 'same', text }));
  return [...same(old.slice(0, head)), ...middle, ...same(old.slice(old.length - tail))];
}

export type Step = Pick<DiffLine, 'kind' | 'text'>;

function between(old: string[], now: string[]): Step[] {
  const gone = (text: string): Step => ({ kind: 'removed', text });
  const come = (text: string): Step => ({ kind: 'added', text });
  if (old.length * now.length > MOST_CELLS) return [...old.map(gone), ...now.map(come)];
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const at = i * width + j;
      const longer = Math.max(lengths[at + width] ?? 0, lengths[at + 1] ?? 0);
      lengths[at] = old[i] === now[j] ? (lengths[at + width + 1] ?? 0) + 1 : longer;
    }
  }
  const steps: Step[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const at = i * width + j;
    if (i < old.length && j < now.length && old[i] === now[j]) {
      steps.push({ kind: 'same', text: old[i] ?? '' });
      i++;
      j++;
    } else if (j >= now.length || (i < old.length && (lengths[at + width] ?? 0) >= (lengths[at + 1] ?? 0))) {
      steps.push(gone(old[i++] ?? ''));
    } else {
      steps.push(come(now[j++] ?? ''));
    }
  }
  return steps;
}

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
