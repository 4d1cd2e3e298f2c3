/** The edges of a graph that a run has taken: each execution says which tasks led to it. */
import { nodeOf } from '../data/node-id.ts';
import type { AgentView, Caused } from '../data/run-view.ts';
import type { ShownGraph } from './shown-graph.ts';

interface Visit extends Caused {
  node: string;
  parent: string | undefined;
  isFinished: boolean;
}

const START = '__start__';

/** As `source→target`, with how often it was taken. `ended`: the run succeeded, so what led to nothing led to the end. */
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

  /** The nodes that are shown, from which it was entered: the first of an open node from those before that. */
  function sourcesOf({ from = [], parent }: Visit): string[] {
    return from.flatMap((task) => {
      if (task !== START) return endsOf(byTask.get(task));
      if (parent === undefined) return [START];
      const around = byTask.get(parent);
      return around ? sourcesOf(around) : [];
    });
  }

  /** The node, or where it is open those inside of it with which it ended. */
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
  // Without causes, all would have led to nothing.
  if (ended && causes.size > 0) for (const { id } of ends) take(lastIn(undefined).flatMap(endsOf), id);
  return taken;
}

/** Executions, and the steps of agents, which are nodes where the agent is open. */
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
