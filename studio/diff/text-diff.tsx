/** A line diff of two texts, with long unchanged parts collapsed. */
import { useMemo, useState } from 'react';
import { ScrollBox } from '../parts/scroll-box.tsx';
import { type DiffLine, lineDiff } from './line-diff.ts';
import './diff.css';

const SIGNS = { same: ' ', removed: '−', added: '+' };
const LABELS = { same: '', removed: 'removed: ', added: 'added: ' };
const CONTEXT_LINES = 3;

export function TextDiff({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = useMemo(() => lineDiff(before, after), [before, after]);
  const [whole, setWhole] = useState(false);
  if (before === after) return <p className="muted small">No changes.</p>;
  const shown = whole ? lines.map((line) => line) : folded(lines);
  return (
    <ScrollBox className="diff" label={label}>
      {shown.map((line, index) =>
        typeof line === 'number' ? (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of a diff keep their order
            key={index}
            type="button"
            className="fold"
            onClick={() => setWhole(true)}
          >
            Show {line} unchanged {line === 1 ? 'line' : 'lines'}
          </button>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a diff keep their order
          <div key={index} className="diff-line" data-kind={line.kind}>
            <span className="number">{line.before ?? ''}</span>
            <span className="number">{line.after ?? ''}</span>
            <span className="sign" aria-hidden="true">
              {SIGNS[line.kind]}
            </span>
            <span className="words">
              <span className="visually-hidden">{LABELS[line.kind]}</span>
              {line.text || ' '}
            </span>
          </div>
        ),
      )}
    </ScrollBox>
  );
}

/** Replaces lines that are far from any change by their count. */
function folded(lines: DiffLine[]): (DiffLine | number)[] {
  const near = new Set<number>();
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    for (let at = index - CONTEXT_LINES; at <= index + CONTEXT_LINES; at++) near.add(at);
  }
  const shown: (DiffLine | number)[] = [];
  for (const [index, line] of lines.entries()) {
    const last = shown.at(-1);
    if (near.has(index)) shown.push(line);
    else if (typeof last === 'number') shown[shown.length - 1] = last + 1;
    else shown.push(1);
  }
  return shown;
}
