/** What is wrong with the text in the editor, below it, with line and column. */
import { ErrorNote } from '../parts/states.tsx';
import { type Problem, problemOf } from './problem.ts';
import { positionAt, rangeOf } from './problem-range.ts';

interface ProblemNoteProps {
  problem: Problem | undefined;
  text: string;
  /** Why it was not saved. */
  error: Error | undefined;
}

/** As tall without one. */
export function ProblemNote({ problem, text, error }: ProblemNoteProps) {
  if (error && !problemOf(error)) return <ErrorNote error={error} />;
  const range = problem && rangeOf(text, problem);
  const place = problem?.position ?? (range && positionAt(text, range.from));
  return (
    <p className="problem small" role="status">
      {problem && (
        <>
          {error && <strong>Not saved. </strong>}
          {place && (
            <strong>
              Line {place.line}, column {place.column}:{' '}
            </strong>
          )}
          {problem.message}
        </>
      )}
    </p>
  );
}
