/** Joins the runs of a turn. An approval or a breakpoint splits a turn into runs; a node that asked continues in the next run. */
import { nodeOf } from './node-id.ts';
import { isOver } from './run-ended.ts';
import type { AgentView } from './run-view.ts';
import type { Run } from './runs.ts';

/** A run of the turn with its agents. Executions are numbered across the turn. */
export interface TurnPart {
  run: Run;
  agents: AgentView[];
}

export interface Turn {
  parts: TurnPart[];
  /** The agents of all parts. A node that asked and then continued counts as one execution. */
  agents: AgentView[];
}

export function turnOf(parts: TurnPart[]): Turn {
  const joined = new Map<string, AgentView>();
  const counts = new Map<string, number>();
  const counted = parts.map(({ run, agents }, index) => ({
    run,
    agents: agents.map((agent, place) => {
      const task = agent.taskId ?? `${index} ${place}`;
      const before = joined.get(task);
      const node = nodeOf(agent);
      const execution = before?.execution ?? (counts.get(node) ?? 0) + 1;
      counts.set(node, Math.max(execution, counts.get(node) ?? 0));
      const own = { ...agent, execution };
      joined.set(task, before ? continued(before, own) : own);
      return own;
    }),
  }));
  return { parts: counted, agents: [...joined.values()] };
}

/** Joins the work of an agent in two successive runs. The step that asked runs again in the second run. */
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

/** Marks work as cancelled if it was unfinished when its run ended. In a run that waits, it continues with the answer. */
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
