/** The edges of a graph that a run has taken, as far as the order of its work tells. */
import { nodeOf } from '../data/node-id.ts';
import type { AgentView } from '../data/run-view.ts';
import type { ShownGraph } from './shown-graph.ts';

/** As `source→target`. `ended`: the run succeeded. */
export function takenEdges({ nodes, edges }: ShownGraph, agents: AgentView[], ended: boolean): Set<string> {
  const sources = new Map(
    Array.from(
      Map.groupBy(edges, ({ target }) => target),
      ([target, into]) => [target, into.map(({ source }) => source)],
    ),
  );
  const shown = new Set(nodes.map(({ id }) => id));
  /** When each node finished last. */
  const last = new Map(nodes.filter(({ kind }) => kind === 'start').map(({ id }) => [id, -1]));
  const taken = new Set<string>();

  function enter(node: string): void {
    const before = (sources.get(node) ?? []).filter((source) => last.has(source) && source !== node);
    for (const source of before) if (!isOvertaken(source, before)) taken.add(`${source}→${node}`);
    if (last.has(node) && sources.get(node)?.includes(node)) taken.add(`${node}→${node}`);
  }

  /** The way from it led through another of them. */
  function isOvertaken(source: string, all: string[]): boolean {
    const at = last.get(source) ?? 0;
    return all.some((other) => (last.get(other) ?? 0) > at && sources.get(other)?.includes(source));
  }

  for (const [index, { node, isFinished }] of visitsOf(agents).entries()) {
    if (!shown.has(node)) continue;
    enter(node);
    if (isFinished) last.set(node, index);
  }
  if (ended) for (const { id, kind } of nodes) if (kind === 'end') enter(id);
  return taken;
}

/** In the order in which they began; the steps of an agent are nodes where it is open. */
function visitsOf(agents: AgentView[]): { node: string; isFinished: boolean }[] {
  return agents.flatMap((agent) => {
    const node = nodeOf(agent);
    const steps = agent.steps.map(({ step, state }) => ({
      ...{ node: `${node}:${step}`, isFinished: state === 'finished' },
    }));
    return [{ node, isFinished: agent.state === 'finished' }, ...steps];
  });
}
