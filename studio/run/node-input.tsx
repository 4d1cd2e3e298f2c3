/** What a node was given: the messages of its first model call, or the state that it began with. */
import type { AgentView, ModelCall } from '../data/run-view.ts';
import type { RunCall } from '../data/runs.ts';
import { LongText } from '../markdown/long-text.tsx';
import { NodeState } from './node-state.tsx';
import type { KeptCalls } from './use-calls.ts';
import type { KnownRun } from './use-run.ts';

interface NodeInputProps {
  known: KnownRun;
  agent: AgentView;
  step: string | undefined;
  /** Its own calls. */
  calls: ModelCall[];
  kept: KeptCalls | undefined;
  /** How often it ran. */
  times: number;
}

export function NodeInput({ known, agent, step, calls, kept, times }: NodeInputProps) {
  const [first] = calls;
  const sent = first && kept?.calls.find((call) => isIt(call, first, agent.agent));
  const given = sent?.messages.filter(({ role }) => role !== 'system') ?? [];
  if (given.length > 0) return <Messages messages={given} />;
  if (agent.state === 'started' || (first && !kept))
    return <p className="muted small">Shown when the run has ended.</p>;
  return (
    <>
      <p className="muted small">The state that it began with:</p>
      <NodeState runs={known.parts.map(({ run }) => run)} {...{ agent, step, times }} isBefore />
    </>
  );
}

function isIt(call: RunCall, first: ModelCall, agent: string): boolean {
  return call.agent === agent && call.started_at === first.started_at && call.task === first.task;
}

function Messages({ messages }: { messages: RunCall['messages'] }) {
  const last = messages.at(-1);
  const earlier = messages.slice(0, -1);
  return (
    <>
      {earlier.length > 0 && (
        <details className="call">
          <summary className="row small">
            {earlier.length === 1 ? 'One message' : `${earlier.length} messages`} before
          </summary>
          <div className="stack">
            {earlier.map(({ role, content }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: messages of a call keep their places
              <div key={index} className="sent">
                <h5 className="muted">{role}</h5>
                <LongText text={content} />
              </div>
            ))}
          </div>
        </details>
      )}
      {last && (
        <div className="in-text">
          <LongText text={last.content} />
        </div>
      )}
    </>
  );
}
