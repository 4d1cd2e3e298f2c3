/** A turn that failed: its question, its error, and the request id. */
import type { RunHead } from '../../data/threads/threads.ts';
import { Clock } from '../../parts/formats/time.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ErrorReference } from '../../parts/states.tsx';
import { STOP } from '../messages/message-keys.ts';
import { Question } from '../messages/question.tsx';

export interface FailedTurnProps {
  run: RunHead;
  inspect(run: string): void;
  /** Undefined if the turn can't be retried now. */
  retry: (() => void) | undefined;
}

export function FailedTurn({ run, inspect, retry }: FailedTurnProps) {
  const { user_prompt, error, run_id, created_at } = run;
  return (
    <>
      <Question text={user_prompt} />
      <article className="answer" aria-label="Failed turn" {...STOP}>
        <div className="note bad">
          <p>{error?.message ?? 'The run failed.'}</p>
          {error?.detail && <p>{error.detail}</p>}
          <ErrorReference code={error?.error_code} requestId={error?.request_id} />
        </div>
        <footer className="answer-foot">
          {retry && (
            <button type="button" className="button small" onClick={retry}>
              <Icon name="refresh" size={14} />
              Retry
            </button>
          )}
          <button type="button" className="button small quiet" onClick={() => inspect(run_id)}>
            View run
          </button>
          <span className="grow" />
          <span>Not in the agents’ memory</span>
          <Clock at={created_at} />
        </footer>
      </article>
    </>
  );
}
