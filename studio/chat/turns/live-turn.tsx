/** A running turn: its agents as they start, write and finish. */
import { nodeOf } from '../../data/runs/node-id.ts';
import { type AgentView, keyOf } from '../../data/runs/run-view.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { durationText, Elapsed } from '../../parts/formats/time.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ErrorNote, ErrorReference } from '../../parts/states.tsx';
import { type LiveView, useLiveRun } from '../../run/live-run.ts';
import type { Turn } from '../conversation/conversation.ts';
import type { TurnRequest } from '../conversation/turn-request.ts';
import { Question } from '../messages/question.tsx';

export interface LiveTurnProps {
  turn: Turn;
  inspect(run: string): void;
  retry(request: TurnRequest): void;
  dismiss(): void;
  /** The running turn that this one waits for. */
  before: Turn | undefined;
  /** Cancels only this turn. */
  cancel: (() => void) | undefined;
}

export function LiveTurn({ turn, inspect, retry, dismiss, before, cancel }: LiveTurnProps) {
  const view = useLiveRun(turn.live);
  const ahead = useLiveRun(before?.live);
  if (!view) return null;
  const { prompt, request } = turn;
  const runId = view.run?.run_id;
  return (
    <>
      {prompt !== undefined && <Question text={prompt} />}
      <article className="answer" aria-label="Answer" aria-busy={!view.ended && !view.failure}>
        {shownAgents(view.agents).map((agent) => (
          <LiveAgent key={keyOf(agent)} agent={agent} />
        ))}
        <Outcome view={view} waits={ahead !== undefined && !ahead.ended && !ahead.failure} />
        {view.failure && (
          <footer className="answer-foot">
            {request && (
              <button type="button" className="button small" onClick={() => retry(request)}>
                Retry
              </button>
            )}
            <button type="button" className="button small quiet" onClick={dismiss}>
              Dismiss
            </button>
          </footer>
        )}
        {runId && !view.failure && (
          <footer className="answer-foot">
            <button type="button" className="button small quiet" onClick={() => inspect(runId)}>
              View run
            </button>
            {cancel && before && !view.ended && (
              <button type="button" className="button small quiet" onClick={cancel}>
                <Icon name="stop" size={14} />
                Cancel this turn
              </button>
            )}
          </footer>
        )}
      </article>
    </>
  );
}

interface OutcomeProps {
  view: LiveView;
  /** Whether it waits for the previous turn. */
  waits: boolean;
}

function Outcome({ view: { failure, error, agents, ended, run }, waits }: OutcomeProps) {
  if (failure) return <ErrorNote error={failure} />;
  if (error) {
    return (
      <div className="note bad" role="alert">
        <p>{error.message}</p>
        {error.detail && <p>{error.detail}</p>}
        <ErrorReference code={error.error_code} requestId={error.request_id} />
      </div>
    );
  }
  if (agents.length > 0 || ended) return null;
  return (
    <p className="row muted small" role="status">
      <span className="dot running" />
      {!run ? 'Sending…' : waits ? 'Queued behind the previous turn' : 'Starting…'}
    </p>
  );
}

/** The agents to show: executions with text or tool calls, and the latest execution of every node. */
function shownAgents(agents: AgentView[]): AgentView[] {
  const last = new Map(agents.map((agent) => [nodeOf(agent), agent]));
  return agents.filter(
    (agent) => agent.text !== '' || agent.tools.length > 0 || last.get(nodeOf(agent)) === agent,
  );
}

const TONES = { started: 'running', finished: 'good', failed: 'bad', cancelled: 'cancelled' };

function LiveAgent({
  agent: { agent, state, text, statuses, tools, attempt, startedAt, durationMs },
}: {
  agent: AgentView;
}) {
  const status = state === 'started' ? statuses.at(-1) : undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div className="output" role="group" aria-label={agent}>
      <div className="output-head">
        <span className={`dot ${TONES[state]}`} role="img" aria-label={state} />
        <span className="name">{agent}</span>
        {attempt > 1 && <span className="chip waiting">Attempt {attempt}</span>}
        <span>
          {state === 'started' ? (
            <Elapsed since={startedAt} />
          ) : (
            durationMs !== undefined && durationText(durationMs)
          )}
        </span>
        {status && <span role="status">{status}</span>}
      </div>
      {tools.length > 0 && (
        <p className="row wrap small">
          <span className="muted">Tools</span>
          {tools.map(({ tool, state }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: calls are only appended
            <span key={index} className={`chip ${state === 'finished' ? '' : TONES[state]}`}>
              <code>{tool}</code>
            </span>
          ))}
        </p>
      )}
      {text && <Markdown text={text} />}
    </div>
  );
}
