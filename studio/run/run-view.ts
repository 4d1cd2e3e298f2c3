/** What a run's events say so far: the one view that chat, graph and waterfall are drawn from. */
import type { RunStreamEvent } from '../../client/client.ts';
import type { ChatResponse } from '../../server/chat-schema.ts';

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

export interface AgentView {
  agent: string;
  state: 'started' | 'finished' | 'failed';
  attempt: number;
  /** When this page heard of its beginning, milliseconds since 1970. */
  heardAt: number;
  durationMs: number | undefined;
  /** What it has said in this attempt. */
  text: string;
  statuses: StatusLine[];
  steps: StepView[];
  usage: Usage | undefined;
  prompts: PromptUse[];
  calls: ModelCall[];
}

export interface StatusLine {
  text: string;
  heardAt: number;
}

export interface StepView {
  step: string;
  state: 'started' | 'finished' | 'failed';
  durationMs: number | undefined;
}

export interface Usage {
  input_tokens: number;
  output_tokens: number;
}

/** The prompt file that was rendered. */
export interface PromptUse {
  filename: string;
  revision_id: string;
  version: number | null;
  sha256?: string;
}

export interface ModelCall extends Partial<Usage> {
  model: string;
  task?: string;
  step?: string | null;
  started_at?: string;
  duration_ms?: number | null;
  first_token_ms?: number | null;
  attempt?: number;
  error_code?: string | null;
}

/** What agent events may say beside their type, as a service of another version may not. */
interface AgentDetails {
  usage?: Usage;
  prompts?: PromptUse[];
  calls?: ModelCall[];
  steps?: { step: string; state: StepView['state']; duration_ms?: number | null }[];
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
    case 'agent': {
      const { agent, state, attempt, duration_ms } = event.data;
      if (state === 'started') return withAgent(next, begun(agent, attempt, now));
      const durationMs = duration_ms ?? undefined;
      return changed(next, agent, now, {
        state,
        attempt,
        durationMs,
        ...detailsOf(event.data as typeof event.data & AgentDetails),
      });
    }
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

function begun(agent: string, attempt: number, now: number): AgentView {
  const empty = { text: '', statuses: [], steps: [], usage: undefined, prompts: [], calls: [] };
  return { agent, state: 'started', attempt, heardAt: now, durationMs: undefined, ...empty };
}

function withAgent(view: RunView, agent: AgentView): RunView {
  const known = view.agents.some((one) => one.agent === agent.agent);
  const agents = known
    ? view.agents.map((one) => (one.agent === agent.agent ? agent : one))
    : [...view.agents, agent];
  return { ...view, agents };
}

type Change = Partial<AgentView> | ((before: AgentView) => Partial<AgentView>);

function changed(view: RunView, agent: string, now: number, change: Change): RunView {
  const before = agentIn(view, agent) ?? begun(agent, 1, now);
  return withAgent(view, { ...before, ...(typeof change === 'function' ? change(before) : change) });
}

interface Status {
  agent: string;
  text: string;
  step?: string;
  state?: StepView['state'];
  duration_ms?: number;
}

const MOST_STATUSES = 200;

function withStatus(view: RunView, status: Status, now: number): RunView {
  const { agent, text, step, state, duration_ms } = status;
  return changed(view, agent, now, ({ statuses, steps }) => ({
    statuses: text ? [...statuses.slice(1 - MOST_STATUSES), { text, heardAt: now }] : statuses,
    steps: step && state ? withStep(steps, { step, state, durationMs: duration_ms }) : steps,
  }));
}

/** A step that starts again is another one; what comes after is of the newest of its name. */
function withStep(steps: StepView[], next: StepView): StepView[] {
  const at = steps.findLastIndex(({ step, state }) => step === next.step && state === 'started');
  return next.state === 'started' || at < 0 ? [...steps, next] : steps.with(at, next);
}

function detailsOf(data: AgentDetails): Partial<AgentView> {
  const { usage, prompts, calls, steps } = data;
  return {
    ...(usage && { usage }),
    ...(prompts && { prompts }),
    ...(calls && { calls }),
    ...(steps && {
      steps: steps.map(({ step, state, duration_ms }) => ({
        step,
        state,
        durationMs: duration_ms ?? undefined,
      })),
    }),
  };
}
