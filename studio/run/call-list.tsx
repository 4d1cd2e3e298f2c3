/** The model calls of a node: request, response and cost. */
import type { ModelCall } from '../data/runs/run-view.ts';
import { LongText } from '../markdown/long-text.tsx';
import { costText } from '../parts/formats/cost.tsx';
import { durationText } from '../parts/formats/time.tsx';
import { Icon } from '../parts/icon.tsx';
import { Json } from '../parts/json/json.tsx';
import { Link } from '../parts/link.tsx';
import { address } from '../routing/router.ts';
import { AddCaseButton } from './add-button.tsx';
import { caseOfCall, objectIn } from './call-case.ts';
import type { CallOfRun, RecordedCalls } from './use-calls.ts';

interface CallListProps {
  workflow: string;
  calls: ModelCall[];
  /** The calls with their contents; undefined until they are loaded. */
  recorded: RecordedCalls | undefined;
  /** Null for calls that belong to no agent. */
  agent: string | null;
  step: string | undefined;
}

export function CallList({ workflow, calls, recorded, agent, step }: CallListProps) {
  if (calls.length === 0) return <p className="muted small">No model calls.</p>;
  const own =
    recorded?.calls.filter((call) => call.agent === agent && (step === undefined || call.step === step)) ??
    [];
  return (
    <>
      {recorded && !recorded.kept && (
        <p className="muted small">
          The contents of these calls are no longer available: the service was restarted, or newer runs
          replaced them.
        </p>
      )}
      {calls.map((call, index) => (
        <Call
          // biome-ignore lint/suspicious/noArrayIndexKey: calls are only appended
          key={index}
          workflow={workflow}
          call={call}
          contents={own.find((one) => one.started_at === call.started_at && one.task === call.task)}
        />
      ))}
    </>
  );
}

interface CallProps {
  workflow: string;
  call: ModelCall;
  contents: CallOfRun | undefined;
}

function Call({ workflow, call, contents }: CallProps) {
  const { model, task, step, duration_ms, first_token_ms, attempt } = call;
  const { input_tokens, output_tokens, cost, error_code, error_detail } = call;
  return (
    <details className="call">
      <summary className="row wrap small">
        <code>{task}</code>
        {step && <span className="muted">in {step}</span>}
        <span className="grow" />
        {error_code && <span className="chip bad">{error_code}</span>}
        {attempt > 1 && <span className="chip waiting">{attempt} attempts</span>}
        <span className="muted">{durationText(duration_ms)}</span>
      </summary>
      <dl className="facts">
        {error_detail !== undefined && (
          <>
            <dt>Error</dt>
            <dd>{error_detail}</dd>
          </>
        )}
        <dt>Model</dt>
        <dd>{model}</dd>
        <dt>Tokens</dt>
        <dd>
          {input_tokens.toLocaleString()} in, {output_tokens.toLocaleString()} out
        </dd>
        {cost !== undefined && (
          <>
            <dt>Cost</dt>
            <dd>{costText(cost)}</dd>
          </>
        )}
        <dt>First token</dt>
        <dd>{first_token_ms === null ? 'none' : durationText(first_token_ms)}</dd>
      </dl>
      {contents && (
        <div className="stack">
          <p className="row wrap">
            <Link
              className="button small"
              href={address(['playground'], { run: contents.at.run, call: String(contents.at.index) })}
            >
              <Icon name="play" size={14} />
              Open in playground
            </Link>
            {contents.whole && (
              <AddCaseButton
                label="Add call to dataset"
                makeCase={async () => caseOfCall(contents, workflow)}
              />
            )}
          </p>
          {!contents.whole && (
            <p className="muted small">
              Part of the request is missing, so you can't add this call to a dataset.
            </p>
          )}
          {contents.messages.map(({ role, content }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: messages of a call keep their order
            <div key={index} className="sent">
              <h4 className="muted">{role}</h4>
              <LongText text={content} />
            </div>
          ))}
          <div className="sent">
            <h4 className="muted">Response</h4>
            <Response text={contents.response} />
          </div>
        </div>
      )}
    </details>
  );
}

function Response({ text }: { text: string | null }) {
  if (text === null) return <p className="muted small">No usable response.</p>;
  const value = objectIn(text);
  return value ? <Json value={value} /> : <LongText text={text} />;
}
