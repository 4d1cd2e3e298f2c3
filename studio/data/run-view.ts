/** What a run's events say so far: the one view that chat, graph and waterfall are drawn from. */
import type { RunStreamEvent } from '../../client/client.ts';
import type { AgentEvent, StatusEvent } from '../../runtime/journal/chat-events.ts';
import type { ChatResponse } from '../../server/chat/schema.ts';
import type { ModelCallEntry, UsedPrompt } from '../../state/run-trace.ts';
import type { Run } from './runs.ts';

export interface RunView {
  run: { run_id: string; thread_id: string; message_id: string; workflow: string } | undefined;
  /** In the order in which they began. */
  agents: AgentView[];
  interrupt: { interrupt_id: string; value: unknown } | undefined;
  response: ChatResponse | undefined;
  error: { message: string; error_code: string; request_id: string; detail?: string } | undefined;
  ended: boolean;
  lastEventId: number;
}

export type AgentState = 'started' | 'finished' | 'failed';

export interface AgentView {
  agent: string;
  state: AgentState;
  attempt: number;
  /** Milliseconds since 1970: as the service says, or when this page heard of it. */
  startedAt: number;
  durationMs: number | undefined;
  /** What it has said in this attempt. */
  text: string;
  statuses: string[];
  /** In the order in which they began; one that runs again is there again. */
  steps: StepView[];
  usage: Usage | undefined;
  prompts: UsedPrompt[];
  calls: ModelCall[];
}

/** Without its contents. */
export type ModelCall = Omit<ModelCallEntry, 'error_code'> & { error_code?: string };

export interface StepView {
  step: string;
  state: AgentState;
  startedAt: number;
  durationMs: number | undefined;
}

export interface Usage {
  input_tokens: number;
  output_tokens: number;
}

export const NOTHING_YET: RunView = {
  run: undefined,
  agents: [],
  interrupt: undefined,
  response: undefined,
  error: undefined,
  ended: false,
  lastEventId: 0,
};

/** The view after one more event; `now` is when it was heard. */
export function withEvent(view: RunView, event: RunStreamEvent, now: number): RunView {
  const next = { ...view, lastEventId: event.id };
  switch (event.event) {
    case 'run':
      return { ...next, run: event.data };
    case 'agent':
      return withAgentEvent(next, event.data, now);
    case 'token':
      return changed(next, event.data.agent, now, ({ text }) => ({ text: text + event.data.text }));
    case 'status':
      return withStatus(next, event.data, now);
    case 'interrupt':
      return { ...next, interrupt: event.data };
    case 'response':
      return { ...next, response: event.data };
    case 'error':
      return { ...next, error: event.data };
    case 'end':
      return { ...next, ended: true };
    default:
      // An event of a newer service.
      return next;
  }
}

export function agentIn(view: RunView, agent: string): AgentView | undefined {
  return view.agents.find((one) => one.agent === agent);
}

/** The same of a run as it is stored, which has no texts. */
export function agentsOfRun({ agents }: Run): AgentView[] {
  return agents.map(({ agent, state, started_at, duration_ms, usage, prompts, calls, steps }) => ({
    ...begun(agent, 1, Date.parse(started_at)),
    ...{ state, usage, prompts, calls, durationMs: duration_ms ?? undefined },
    steps: steps.map((step) => ({
      ...{ step: step.step, state: step.state, startedAt: Date.parse(step.started_at) },
      durationMs: step.duration_ms ?? undefined,
    })),
  }));
}

function begun(agent: string, attempt: number, startedAt: number): AgentView {
  const empty = { text: '', statuses: [], steps: [], usage: undefined, prompts: [], calls: [] };
  return { agent, state: 'started', attempt, startedAt, durationMs: undefined, ...empty };
}

function withAgent(view: RunView, agent: AgentView): RunView {
  const known = view.agents.some((one) => one.agent === agent.agent);
  const agents = known
    ? view.agents.map((one) => (one.agent === agent.agent ? agent : one))
    : [...view.agents, agent];
  return { ...view, agents };
}

type Change = (before: AgentView) => Partial<AgentView>;

function changed(view: RunView, agent: string, now: number, change: Change): RunView {
  const before = agentIn(view, agent) ?? begun(agent, 1, now);
  return withAgent(view, { ...before, ...change(before) });
}

function withAgentEvent(view: RunView, data: AgentEvent, now: number): RunView {
  const { agent, state, attempt, started_at, duration_ms, usage, prompts, calls } = data;
  if (state === 'started') return withAgent(view, begun(agent, attempt, now));
  return changed(view, agent, now, (before) => ({
    ...{ state, attempt, durationMs: duration_ms },
    startedAt: started_at === undefined ? before.startedAt : Date.parse(started_at),
    usage: usage ?? before.usage,
    prompts: prompts ?? before.prompts,
    calls: calls ?? before.calls,
  }));
}

const MOST_STATUSES = 200;

function withStatus(view: RunView, status: StatusEvent, now: number): RunView {
  const { agent, text, step, state, prompts = [], calls = [] } = status;
  return changed(view, agent, now, (before) => ({
    // The beginning of a step says its name; its end says nothing new.
    statuses:
      state && state !== 'started' ? before.statuses : [...before.statuses.slice(1 - MOST_STATUSES), text],
    steps: step && state ? withStep(before.steps, { ...status, step, state }, now) : before.steps,
    prompts: prompts.length > 0 ? [...before.prompts, ...prompts] : before.prompts,
    calls: calls.length > 0 ? [...before.calls, ...calls] : before.calls,
  }));
}

type StepEvent = StatusEvent & { step: string; state: AgentState };

function withStep(
  steps: StepView[],
  { step, state, started_at, duration_ms }: StepEvent,
  now: number,
): StepView[] {
  const startedAt = started_at === undefined ? now : Date.parse(started_at);
  const next = { step, state, startedAt, durationMs: duration_ms };
  const at = steps.findLastIndex((one) => one.step === step && one.state === 'started');
  return state === 'started' || at < 0 ? [...steps, next] : steps.with(at, next);
}
