/** The problem of the text in the editor, with its line and column. */
import type { Problem } from './problem.ts';
import { positionAt, rangeOf } from './problem-range.ts';

interface ProblemNoteProps {
  problem: Problem | undefined;
  text: string;
  /** The service rejected the text when it was saved. */
  isRejected: boolean;
}

/** Keeps its height if there is no problem. */
export function ProblemNote({ problem, text, isRejected }: ProblemNoteProps) {
  const range = problem && rangeOf(text, problem);
  const place = problem?.position ?? (range && positionAt(text, range.from));
  return (
    <p className="problem small" role="status">
      {problem ? (
        <>
          {isRejected && <strong>Not saved. </strong>}
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
