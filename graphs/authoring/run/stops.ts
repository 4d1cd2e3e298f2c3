/** Where a run stops: before and after nodes of its graph, and of the graphs that run inside of them. */
import { reportsItself } from './own-nodes.ts';

/** The fields of a compiled graph that are used here. */
interface Graph {
  withConfig(config: object): Graph;
  readonly interruptBefore?: NodeNames;
  readonly interruptAfter?: NodeNames;
  readonly nodes: Record<string, unknown>;
}

export type NodeNames = string[] | '*';

/**
 * The name of a node in a subgraph is preceded by the names of the enclosing nodes, separated by colons. `*` means all nodes of
 * the graph itself.
 */
export interface Stops {
  interruptBefore?: NodeNames | undefined;
  interruptAfter?: NodeNames | undefined;
}

/** The nodes at which a run can stop. Nodes of a graph that a node's function invokes are not included. */
export function stoppable({ nodes }: Pick<Graph, 'nodes'>): string[] {
  const names = Object.keys(nodes).filter((name) => !name.startsWith('__'));
  return names.flatMap((name) => {
    const inner = graphIn(nodes[name]);
    return [name, ...(inner ? stoppable(inner).map((one) => `${name}:${one}`) : [])];
  });
}

/** The stops with which a graph is invoked: those at its own nodes, in addition to those that it was compiled with. */
export function ownStops(graph: Pick<Graph, 'interruptBefore' | 'interruptAfter'>, stops: Stops) {
  const interruptBefore = both(graph.interruptBefore, stops.interruptBefore);
  const interruptAfter = both(graph.interruptAfter, stops.interruptAfter);
  return { ...(interruptBefore && { interruptBefore }), ...(interruptAfter && { interruptAfter }) };
}

/**
 * Returns a copy in which the subgraphs have their stops: LangGraph only uses those with which a subgraph was compiled. Returns
 * the same graph if there are no such stops.
 */
export function withInnerStops<Whole extends Graph>(graph: Whole, stops: Stops): Whole {
  const inner = Object.entries(graph.nodes).flatMap(([name, node]) => {
    const within = stopsWithin(stops, name);
    const { bound } = node as Node;
    if (!within || !isGraph(bound)) return [];
    const copy = withInnerStops(bound, within).withConfig({});
    Object.assign(copy, ownStops(bound, within));
    return [[name, copied(node as Node, copy)] as const];
  });
  if (inner.length === 0) return graph;
  const nodes = { ...graph.nodes, ...Object.fromEntries(inner) };
  return Object.assign(graph.withConfig({}) as Whole, { nodes });
}

/** The stops inside a subgraph; undefined if it has none. */
export function stopsWithin({ interruptBefore, interruptAfter }: Stops, name: string): Stops | undefined {
  const before = inside(interruptBefore, name);
  const after = inside(interruptAfter, name);
  if (before.length === 0 && after.length === 0) return undefined;
  return { interruptBefore: before, interruptAfter: after };
}

interface Node {
  bound?: unknown;
  subgraphs?: unknown[];
}

function inside(names: NodeNames = [], node: string): string[] {
  const around = `${node}:`;
  return names === '*'
    ? []
    : names.filter((one) => one.startsWith(around)).map((one) => one.slice(around.length));
}

function both(own: NodeNames = [], requested: NodeNames | undefined): NodeNames | undefined {
  if (requested === undefined) return undefined;
  if (own === '*' || requested === '*') return '*';
  return [...new Set([...own, ...requested.filter((name) => !name.includes(':'))])];
}

/** The graph that a node runs: a subgraph of LangGraph, or the graph of an agent that was created with Skein. */
function graphIn(node: unknown): Graph | undefined {
  const { bound, subgraphs = [] } = node as Node;
  if (isGraph(bound)) return bound;
  const [own] = subgraphs;
  return reportsItself(bound) && isGraph(own) ? own : undefined;
}

// Checks properties instead of classes, because a project's graph may use its own copy of LangGraph. A remote graph has no
// nodes here.
function isGraph(value: unknown): value is Graph {
  const { lg_is_pregel, nodes } = (value ?? {}) as { lg_is_pregel?: boolean; nodes?: object };
  return lg_is_pregel === true && nodes !== undefined;
}

function copied(node: Node, graph: Graph): Node {
  const copy: Node = Object.assign(Object.create(Object.getPrototypeOf(node)), node);
  return Object.assign(copy, { bound: graph, subgraphs: [graph] });
}
