/** Finds the edges that a run took, from the tasks that led to each execution. */
import { nodeOf } from '../data/runs/node-id.ts';
import type { AgentView, Caused } from '../data/runs/run-view.ts';
import type { ShownGraph } from './shown-graph.ts';

interface Visit extends Caused {
  node: string;
  parent: string | undefined;
  isFinished: boolean;
}

const START = '__start__';

/** The number of times each edge was taken, by `source→target`. If the run succeeded (`ended`), its last nodes led to the end. */
export function takenEdges(
  { nodes }: Pick<ShownGraph, 'nodes'>,
  agents: AgentView[],
  ended: boolean,
): Map<string, number> {
  const shown = new Set(nodes.map(({ id }) => id));
  const visits = visitsOf(agents);
  const byTask = new Map(visits.map((visit) => [visit.taskId, visit]));
  const inside = Map.groupBy(visits, ({ parent }) => parent);
  const causes = new Set(visits.flatMap(({ from = [] }) => from));
  const taken = new Map<string, number>();

  function take(sources: string[], target: string): void {
    for (const source of new Set(sources)) {
      const id = `${source}→${target}`;
      taken.set(id, (taken.get(id) ?? 0) + 1);
    }
  }

  /** The visible nodes that led to a visit. For the first node inside an expanded node, those that led to the expanded node. */
  function sourcesOf({ from = [], parent }: Visit): string[] {
    return from.flatMap((task) => {
      if (task !== START) return endsOf(byTask.get(task));
      if (parent === undefined) return [START];
      const around = byTask.get(parent);
      return around ? sourcesOf(around) : [];
    });
  }

  /** The node, or the last inner nodes if it is expanded. */
  function endsOf(visit: Visit | undefined): string[] {
    if (!visit) return [];
    if (shown.has(visit.node)) return [visit.node];
    return lastIn(visit.taskId).flatMap(endsOf);
  }

  function lastIn(task: string | undefined): Visit[] {
    return (inside.get(task) ?? []).filter(
      ({ taskId = '', isFinished }) => isFinished && !causes.has(taskId),
    );
  }

  for (const visit of visits) if (shown.has(visit.node)) take(sourcesOf(visit), visit.node);
  const ends = nodes.filter(({ kind }) => kind === 'end');
  // Without recorded causes, every node would seem to lead to the end.
  if (ended && causes.size > 0) for (const { id } of ends) take(lastIn(undefined).flatMap(endsOf), id);
  return taken;
}

/** Executions and the steps of agents, which are nodes if the agent is expanded. */
function visitsOf(agents: AgentView[]): Visit[] {
  return agents.flatMap((agent) => {
    const { taskId, from, parentTask: parent } = agent;
    const node = nodeOf(agent);
    const steps = agent.steps.map((step) => ({
      ...{ node: `${node}:${step.step}`, taskId: step.taskId, from: step.from, parent: taskId },
      isFinished: step.state === 'finished',
    }));
    return [{ node, taskId, from, parent, isFinished: agent.state === 'finished' }, ...steps];
  });
}
