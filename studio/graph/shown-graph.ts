/** The part of a workflow's graph that is shown: agents closed, or open with the steps inside of them. */
import type { GraphEdge, GraphNode, WorkflowGraph } from '../data/workflows.ts';
import { agentOf } from './node-id.ts';

export interface ShownGraph {
  nodes: ShownNode[];
  edges: GraphEdge[];
}

export interface ShownNode extends GraphNode {
  /** The open agent that it is a step of. */
  inside?: string;
}

/** `closed` has agents as nodes, `open` their steps as `agent:step` in place of them. */
export function shownGraph(
  closed: WorkflowGraph,
  open: WorkflowGraph,
  opened: ReadonlySet<string>,
): ShownGraph {
  const outer = (id: string) => agentOf(id) ?? id;
  const shown = (id: string) => (opened.has(outer(id)) ? id : outer(id));
  const nodes: ShownNode[] = [];
  for (const node of closed.nodes) {
    if (!opened.has(node.id)) nodes.push(node);
    else {
      const steps = open.nodes.filter(({ id }) => agentOf(id) === node.id);
      nodes.push(...steps.map((step) => ({ ...step, inside: node.id })));
    }
  }
  const edges = new Map<string, GraphEdge>();
  for (const edge of open.edges) {
    const [source, target] = [shown(edge.source), shown(edge.target)];
    // What happens inside of a closed agent.
    if (source === target && edge.source !== edge.target) continue;
    edges.set(`${source}→${target}`, { ...edge, source, target });
  }
  return { nodes, edges: [...edges.values()] };
}

/** The agents that have steps. */
export function openable(open: WorkflowGraph): Set<string> {
  return new Set(open.nodes.flatMap(({ id }) => agentOf(id) ?? []));
}
