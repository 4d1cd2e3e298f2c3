/** A turn whole: an approval or a stop splits it into runs, and a node that asked goes on in the next of them. */
import { nodeOf } from './node-id.ts';
import { isOver } from './run-ended.ts';
import type { AgentView } from './run-view.ts';
import type { Run } from './runs.ts';

/** A run of the turn with what it did; executions are counted over the turn. */
export interface TurnPart {
  run: Run;
  agents: AgentView[];
}

export interface Turn {
  parts: TurnPart[];
  /** Over all parts: a node that asked and went on has worked once. */
  agents: AgentView[];
}

export function turnOf(parts: TurnPart[]): Turn {
  const whole = new Map<string, AgentView>();
  const counts = new Map<string, number>();
  const counted = parts.map(({ run, agents }, index) => ({
    run,
    agents: agents.map((agent, place) => {
      const task = agent.taskId ?? `${index} ${place}`;
      const before = whole.get(task);
      const node = nodeOf(agent);
      const execution = before?.execution ?? (counts.get(node) ?? 0) + 1;
      counts.set(node, Math.max(execution, counts.get(node) ?? 0));
      const own = { ...agent, execution };
      whole.set(task, before ? continued(before, own) : own);
      return own;
    }),
  }));
  return { parts: counted, agents: [...whole.values()] };
}

/** Its work in an earlier part and in the next: what it asked with is done again, or goes on. */
function continued(before: AgentView, agent: AgentView): AgentView {
  const redone = new Set(agent.steps.map(({ taskId }) => taskId));
  const worked = (before.durationMs ?? 0) + (agent.durationMs ?? 0);
  return {
    ...agent,
    startedAt: before.startedAt,
    durationMs: agent.durationMs === undefined ? undefined : worked,
    from: before.from ?? agent.from,
    text: before.text + agent.text,
    statuses: [...before.statuses, ...agent.statuses],
    steps: [...before.steps.filter(({ taskId }) => !redone.has(taskId)), ...agent.steps],
    prompts: [...before.prompts, ...agent.prompts],
    calls: [...before.calls, ...agent.calls],
    tools: [...before.tools.filter(({ state }) => state !== 'started'), ...agent.tools],
    custom: [...before.custom, ...agent.custom],
  };
}

/** What was at work when its run ended went no further; in a run that waits, it goes on with the answer. */
export function settled(agents: AgentView[], run: Run | undefined, ended: boolean): AgentView[] {
  const isEnded = run && isOver(run) ? run.status !== 'interrupted' : ended;
  if (!isEnded) return agents;
  const over = run?.finished_at ? Date.parse(run.finished_at) : undefined;
  const stopped = <Work extends Timed>(work: Work): Work =>
    work.state === 'started'
      ? { ...work, state: 'cancelled', durationMs: over && Math.max(0, over - work.startedAt) }
      : work;
  return agents.map((agent) => ({
    ...stopped(agent),
    steps: agent.steps.map(stopped),
    tools: agent.tools.map(stopped),
  }));
}

type Timed = Pick<AgentView, 'state' | 'startedAt' | 'durationMs'>;
