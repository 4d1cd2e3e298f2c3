/** What is wrong with the text in the editor, below it, with line and column. */
import type { Problem } from './problem.ts';
import { positionAt, rangeOf } from './problem-range.ts';

interface ProblemNoteProps {
  problem: Problem | undefined;
  text: string;
  /** It was to be saved, and was not. */
  isRefused: boolean;
}

/** As tall without one. */
export function ProblemNote({ problem, text, isRefused }: ProblemNoteProps) {
  const range = problem && rangeOf(text, problem);
  const place = problem?.position ?? (range && positionAt(text, range.from));
  return (
    <p className="problem small" role="status">
      {problem ? (
        <>
          {isRefused && <strong>Not saved. </strong>}
          {place && (
            <strong>
              Line {place.line}, column {place.column}:{' '}
            </strong>
          )}
          {problem.message}
        </>
      ) : (
        <span className="muted">No problems</span>
      )}
    </p>
  );
}
