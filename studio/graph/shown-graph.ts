/** The visible part of a workflow's graph, with some nodes expanded to their inner nodes. */
import { nameOf, nodesAround, parentOf } from '../data/runs/node-id.ts';
import type { GraphEdge, GraphNode, WorkflowGraph } from '../data/workflows.ts';

export interface ShownGraph {
  nodes: ShownNode[];
  edges: GraphEdge[];
}

export interface ShownNode extends GraphNode {
  /** The expanded node that contains it. */
  inside?: string;
}

/**
 * `closed` is the graph with all nodes collapsed; `open` has, in place of a node with a subgraph, the nodes of that subgraph
 * as `node:inner`. `opened` are the nodes to expand.
 */
export function shownGraph(
  closed: WorkflowGraph,
  open: WorkflowGraph,
  opened: ReadonlySet<string>,
): ShownGraph {
  const shown = (id: string) => nodesAround(id).find((node) => !opened.has(node)) ?? id;
  const known = new Map([...closed.nodes, ...open.nodes].map((node) => [node.id, node]));
  const nodes = new Map<string, ShownNode>();
  for (const node of open.nodes) {
    const id = shown(node.id);
    const inside = parentOf(id);
    const own = known.get(id) ?? { id, label: nameOf(id), kind: 'node' };
    nodes.set(id, inside === undefined ? own : { ...own, inside });
  }
  const edges = new Map<string, GraphEdge>();
  for (const edge of open.edges) {
    const [source, target] = [shown(edge.source), shown(edge.target)];
    // An edge inside a collapsed node.
    if (source === target && edge.source !== edge.target) continue;
    edges.set(`${source}→${target}`, { ...edge, source, target });
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

/** Edges that a run took but the graph doesn't declare, such as those of a Command without declared destinations. */
export function undeclaredEdges(
  { nodes, edges }: ShownGraph,
  taken: ReadonlyMap<string, number>,
): GraphEdge[] {
  const known = new Set(edges.map(({ source, target }) => `${source}→${target}`));
  const ids = new Set(nodes.map(({ id }) => id));
  return [...taken.keys()].flatMap((id) => {
    const [source = '', target = ''] = id.split('→');
    const isNew = !known.has(id) && ids.has(source) && ids.has(target);
    return isNew ? [{ source, target, conditional: true }] : [];
  });
}

/** The nodes that can be expanded. */
export function openable(open: WorkflowGraph): Set<string> {
  return new Set(open.nodes.flatMap(({ id }) => nodesAround(id)));
}
