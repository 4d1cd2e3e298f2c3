/** An answer with highlighted changes, tool calls, tokens, cost and times. */
import { useMemo } from 'react';
import type { ReplayedCall } from '../data/runs/replay.ts';
import { MarkedWords, wordSteps } from '../diff/word-diff.tsx';
import { costText } from '../parts/formats/cost.tsx';
import { durationText } from '../parts/formats/time.tsx';
import { Json } from '../parts/json/json.tsx';
import { ScrollBox } from '../parts/scroll-box.tsx';

interface AnswerCardProps {
  title: string;
  call: Omit<ReplayedCall, 'tool_calls' | 'finish_reason'>;
  toolCalls?: ReplayedCall['tool_calls'];
  temperature?: number | undefined;
  finish?: string | null;
  /** The answer to compare with, if any. */
  against: string | null | undefined;
  /** Whether words that the other answer lacks are marked as removed or added. */
  marks: 'removed' | 'added';
}

export function AnswerCard({
  title,
  call,
  toolCalls = [],
  temperature,
  finish,
  against,
  marks,
}: AnswerCardProps) {
  const { model, response, error_code, error_detail, duration_ms, first_token_ms, usage, attempt } = call;
  return (
    <article className="panel playground-card" aria-label={title}>
      <div className="row wrap small">
        <h3>{title}</h3>
        <span className="grow" />
        <span className="muted cut">
          {model}
          {temperature !== undefined && `, temperature ${temperature}`}
        </span>
      </div>
      <div className="row wrap">
        {error_code && <span className="chip bad">{error_code}</span>}
        {finish && finish !== 'stop' && <span className="chip">{finish}</span>}
        {attempt > 1 && <span className="chip waiting">{attempt} attempts</span>}
        {against !== undefined && against === response && <span className="chip">No changes</span>}
      </div>
      {error_detail !== undefined && <p className="note bad">{error_detail}</p>}
      {response !== null && (
        <ResponseText title={title} response={response} against={against} marks={marks} />
      )}
      {toolCalls.length > 0 && (
        <ul className="stack" aria-label="Tool calls">
          {toolCalls.map(({ id, function: { name, arguments: given } }) => (
            <li key={id} className="stack">
              <code>{name}</code>
              <Json value={valueIn(given)} />
            </li>
          ))}
        </ul>
      )}
      <dl className="facts">
        <dt>Tokens</dt>
        <dd>
          {usage.input_tokens.toLocaleString()} in, {usage.output_tokens.toLocaleString()} out
        </dd>
        {usage.cost !== undefined && (
          <>
            <dt>Cost</dt>
            <dd>{costText(usage.cost)}</dd>
          </>
        )}
        <dt>First token</dt>
        <dd>{first_token_ms === null ? 'none' : durationText(first_token_ms)}</dd>
        <dt>Duration</dt>
        <dd>{durationText(duration_ms)}</dd>
      </dl>
    </article>
  );
}

interface ResponseTextProps {
  title: string;
  response: string;
  against: string | null | undefined;
  marks: 'removed' | 'added';
}

function ResponseText({ title, response, against, marks }: ResponseTextProps) {
  const steps = useMemo(() => {
    const other = against ?? response;
    return marks === 'removed' ? wordSteps(response, other) : wordSteps(other, response);
  }, [response, against, marks]);
  return (
    <ScrollBox className="word-diff playground-said" label={`Response: ${title}`}>
      <MarkedWords steps={steps} kind={marks} />
    </ScrollBox>
  );
}

/** The parsed arguments, or their text if the model wrote invalid JSON. */
function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
