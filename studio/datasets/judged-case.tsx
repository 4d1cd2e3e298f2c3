/** The result of a case: its answer, why it failed, and the changes from an earlier answer. */
import { useState } from 'react';
import { WordDiff } from '../diff/word-diff.tsx';
import { durationText } from '../parts/formats/time.tsx';
import { Link } from '../parts/link.tsx';
import { address } from '../routing/router.ts';
import type { ComparedCase } from './compared.ts';
import { ExpectationView } from './expectation-view.tsx';

interface JudgedCaseItemProps {
  one: ComparedCase;
  workflow: string;
  isOpen: boolean;
}

export function JudgedCaseItem({ one: { now, before }, workflow, isOpen: opens }: JudgedCaseItemProps) {
  const [isOpen, setOpen] = useState(opens);
  return (
    <li className="panel case">
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="words">
          <span
            className={`dot inline ${now.right ? 'good' : 'bad'}`}
            role="img"
            aria-label={now.right ? 'Passed' : 'Failed'}
          />{' '}
          <strong dir="auto">{now.prompt}</strong>{' '}
          <span className="muted small">
            {now.id} · {durationText(now.milliseconds)} · {now.tokens.toLocaleString()} tokens
          </span>
        </summary>
        {isOpen && (
          <div className="stack judged">
            {now.misses.map((miss) => (
              <p key={miss} className="small bad words">
                {miss}
              </p>
            ))}
            <div className="stack">
              <h3 className="muted">Expected answer</h3>
              <ExpectationView expect={now.expect} />
            </div>
            {before ? (
              <WordDiff
                before={before.answer}
                after={now.answer}
                names={['Previous answer', 'Current answer']}
              />
            ) : (
              <div className="stack">
                <h3 className="muted">Answer</h3>
                <p className="small words" dir="auto">
                  {now.answer || <span className="muted">(empty)</span>}
                </p>
              </div>
            )}
            <p className="row wrap small muted">
              {!now.is_call && (
                <Link href={address([], { workflow, draft: now.prompt })}>Ask in a conversation</Link>
              )}
              {now.source && <Link href={address(['runs', now.source.run_id])}>Source run</Link>}
            </p>
          </div>
        )}
      </details>
    </li>
  );
}
