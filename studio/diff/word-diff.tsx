/** Two texts side by side, with removed words marked in one and added words in the other. */
import { useMemo } from 'react';
import { listDiff, type Step } from './line-diff.ts';
import './diff.css';

interface WordDiffProps {
  before: string;
  after: string;
  names: [before: string, after: string];
}

export function WordDiff({ before, after, names }: WordDiffProps) {
  const steps = useMemo(() => wordSteps(before, after), [before, after]);
  return (
    <div className="word-diff">
      <Side name={names[0]} steps={steps} kind="removed" />
      <Side name={names[1]} steps={steps} kind="added" />
    </div>
  );
}

function Side({ name, ...words }: { name: string } & MarkedWordsProps) {
  return (
    <section aria-label={name}>
      <div className="muted small">{name}</div>
      <MarkedWords {...words} />
    </section>
  );
}

interface MarkedWordsProps {
  steps: Step[];
  /** Which text to show: the old one with removed words, or the new one with added words. */
  kind: 'removed' | 'added';
}

export function MarkedWords({ steps, kind }: MarkedWordsProps) {
  const Mark = kind === 'removed' ? 'del' : 'ins';
  const own = steps.filter((step) => step.kind === 'same' || step.kind === kind);
  return (
    <p>
      {own.length === 0 && <span className="muted">(empty)</span>}
      {own.map(({ kind: of, text }, index) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: words of a diff keep their order
        of === 'same' ? text : <Mark key={index}>{text}</Mark>,
      )}
    </p>
  );
}

export function wordSteps(before: string, after: string): Step[] {
  return listDiff(wordsOf(before), wordsOf(after));
}

function wordsOf(text: string): string[] {
  return text.match(/\s+|[^\s]+/g) ?? [];
}
