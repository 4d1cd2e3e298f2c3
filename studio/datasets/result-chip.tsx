/** A chip with the result of a dataset. */
import type { ResultHead } from '../data/datasets.ts';

export function ResultChip({ result }: { result: ResultHead }) {
  const { status, right, done, total, unanswered } = result;
  if (status === 'running')
    return (
      <span className="chip running">
        {done} of {total} done
      </span>
    );
  const isGood = status === 'finished' && right === total;
  return (
    <span className="row wrap">
      <span className={`chip ${isGood ? 'good' : 'bad'}`}>
        {right} of {total} passed
      </span>
      {unanswered > 0 && <span className="chip bad">{unanswered} unanswered</span>}
      {status !== 'finished' && <span className="chip waiting">{status}</span>}
    </span>
  );
}
