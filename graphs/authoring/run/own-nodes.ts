/** Marks nodes that report their own work; LangGraph's stream reports the others. */

// Global, because a project's workflows may use their own copy of this file.
const OWN = Symbol.for('skein.reports_itself');

/** Marks a node's function. */
export function reportingItself<Node extends object>(node: Node): Node {
  return Object.assign(node, { [OWN]: true });
}

/** The names of the marked nodes of a graph. */
export function ownNodes({ nodes }: { nodes: Record<string, unknown> }): ReadonlySet<string> {
  const isOwn = (node: unknown) => reportsItself((node as { bound?: unknown }).bound);
  return new Set(Object.keys(nodes).filter((name) => name.startsWith('__') || isOwn(nodes[name])));
}

/** Whether a node's function is marked. */
export function reportsItself(bound: unknown): boolean {
  return (bound as { func?: { [OWN]?: boolean } } | undefined)?.func?.[OWN] === true;
}
