/** A summary of a run: status, duration, tokens, cost and error. */
import { isOver } from '../data/runs/run-ended.ts';
import { Cost } from '../parts/formats/cost.tsx';
import { durationText, Elapsed } from '../parts/formats/time.tsx';
import { ErrorReference } from '../parts/states.tsx';
import { AddButton } from './add-button.tsx';
import { RunStatusChip } from './run-status.tsx';
import type { KnownRun } from './use-run.ts';

export function RunSummary({ known: { run, view } }: { known: KnownRun }) {
  if (!run) return null;
  const { status, started_at, finished_at, usage, attempt, error, run_id } = run;
  const tokens = usage.input_tokens + usage.output_tokens;
  return (
    <div className="stack">
      <p className="row wrap small">
        <RunStatusChip status={status} />
        {started_at && (
          <span>
            {finished_at ? (
              durationText(Date.parse(finished_at) - Date.parse(started_at))
            ) : view?.ended ? null : (
              <Elapsed since={Date.parse(started_at)} />
            )}
          </span>
        )}
        {tokens > 0 && (
          <span className="muted">
            {usage.input_tokens.toLocaleString()} in · {usage.output_tokens.toLocaleString()} out
          </span>
        )}
        <Cost cost={usage.cost} />
        {attempt > 1 && <span className="chip waiting">Attempt {attempt}</span>}
        <code className="muted cut">{run_id}</code>
        {isOver(run) && <AddButton run={run} answer={view?.response?.agent_response ?? ''} isWhole />}
      </p>
      {error && (
        <div className="note bad">
          <p>{error.message}</p>
          {error.detail && <p>{error.detail}</p>}
          <ErrorReference code={error.error_code} requestId={error.request_id} />
        </div>
      )}
    </div>
  );
}
