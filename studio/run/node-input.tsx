/** The input of a node: the messages of its first model call, or the state at its start. */
import type { AgentView, ModelCall } from '../data/runs/run-view.ts';
import type { RunCall } from '../data/runs/runs.ts';
import { LongText } from '../markdown/long-text.tsx';
import { NodeState } from './node-state.tsx';
import type { RecordedCalls } from './use-calls.ts';
import type { KnownRun } from './use-run.ts';

interface NodeInputProps {
  known: KnownRun;
  agent: AgentView;
  step: string | undefined;
  /** The node's calls. */
  calls: ModelCall[];
  recorded: RecordedCalls | undefined;
  /** The number of executions. */
  times: number;
}

export function NodeInput({ known, agent, step, calls, recorded, times }: NodeInputProps) {
  const [first] = calls;
  const sent = first && recorded?.calls.find((call) => isSameCall(call, first, agent.agent));
  const given = sent?.messages.filter(({ role }) => role !== 'system') ?? [];
  if (given.length > 0) return <Messages messages={given} />;
  if (agent.state === 'started' || (first && !recorded))
    return <p className="muted small">Available when the run has ended.</p>;
  return (
    <>
      <p className="muted small">State at the start:</p>
      <NodeState runs={known.parts.map(({ run }) => run)} {...{ agent, step, times }} isBefore />
    </>
  );
}

function isSameCall(call: RunCall, first: ModelCall, agent: string): boolean {
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
            {earlier.length === 1 ? '1 earlier message' : `${earlier.length} earlier messages`}
          </summary>
          <div className="stack">
            {earlier.map(({ role, content }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: messages of a call keep their order
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
