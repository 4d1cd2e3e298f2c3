/** The drawing of a graph in which each subgraph is replaced with its nodes and edges. */
import type { CompiledGraph, DrawableGraph } from '../../graphs/authoring/workflow.ts';

type Edge = DrawableGraph['edges'][number];

type Drawn = Pick<CompiledGraph, 'getGraphAsync' | 'getSubgraphsAsync'>;

const START = '__start__';
const END = '__end__';

/**
 * LangGraph draws a graph of the functional API, which has no edges, as three boxes with random names. Here its nodes are
 * drawn between the start and the end.
 */
export async function drawnGraph(
  graph: Drawn & Partial<Pick<CompiledGraph, 'nodes'>>,
): Promise<DrawableGraph> {
  const drawn = await graph.getGraphAsync({});
  const names = Object.keys(graph.nodes ?? {}).filter((name) => name !== START);
  if (names.some((name) => name in drawn.nodes)) return drawn;
  drawn.nodes = Object.fromEntries([START, ...names, END].map((id) => [id, { id, name: id }]));
  drawn.edges = names.flatMap((name) => [
    { source: START, target: name },
    { source: name, target: END },
  ]);
  return drawn;
}

/**
 * LangGraph's own expansion (`xray`) loses the edges of a subgraph with conditional edges at its start, or with several
 * edges to its end. Ids inside are `node:step`.
 */
export async function graphWithSubgraphs(graph: Drawn): Promise<DrawableGraph> {
  const drawn = await drawnGraph(graph);
  for await (const [name, inner] of graph.getSubgraphsAsync()) {
    if (name in drawn.nodes) replace(drawn, name, await graphWithSubgraphs(inner));
  }
  return drawn;
}

function replace(outer: DrawableGraph, name: string, inner: DrawableGraph): void {
  const inside = (id: string) => `${name}:${id}`;
  const into = outer.edges.filter(({ target }) => target === name);
  const out = outer.edges.filter(({ source }) => source === name);
  const [first, last] = [
    inner.edges.filter(({ source }) => source === START),
    inner.edges.filter(({ target }) => target === END),
  ];
  const steps = inner.edges.filter(({ source, target }) => source !== START && target !== END);
  outer.edges = [
    ...outer.edges.filter((edge) => !into.includes(edge) && !out.includes(edge)),
    ...first.flatMap((edge) =>
      edge.target === END
        ? into.flatMap((before) =>
            out.map((after) => joined(before, edge, { ...after, source: before.source })),
          )
        : into.map((before) => joined(before, edge, { source: before.source, target: inside(edge.target) })),
    ),
    ...steps.map((edge) => ({ ...edge, source: inside(edge.source), target: inside(edge.target) })),
    ...last
      .filter(({ source }) => source !== START)
      .flatMap((edge) =>
        out.map((after) => joined(edge, after, { source: inside(edge.source), target: after.target })),
      ),
  ];
  outer.nodes = Object.fromEntries(
    Object.entries(outer.nodes).flatMap(([id, node]) =>
      id === name ? nodesOf(inner, inside) : [[id, node]],
    ),
  );
}

/** Joins two edges to one. */
function joined(before: Edge, after: Edge, { source, target }: Edge): Edge {
  const data = after.data ?? before.data;
  const conditional = Boolean(before.conditional) || Boolean(after.conditional);
  return { source, target, conditional, ...(data === undefined ? {} : { data }) };
}

function nodesOf({ nodes }: DrawableGraph, inside: (id: string) => string) {
  return Object.entries(nodes)
    .filter(([id]) => id !== START && id !== END)
    .map(([id, node]) => [inside(id), { ...node, id: inside(id) }] as const);
}
