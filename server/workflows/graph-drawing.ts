/** Converts a compiled graph to JSON and to SVG. */
import { type Static, Type } from '@sinclair/typebox';
import type { DrawableGraph } from '../../graphs/authoring/workflow.ts';

export const GraphJson = Type.Object(
  {
    nodes: Type.Array(
      Type.Object({
        id: Type.String({ description: 'The id of the node. In an expanded subgraph, parent:name' }),
        label: Type.String({ description: 'The name to show' }),
        kind: Type.Union(
          [Type.Literal('start'), Type.Literal('end'), Type.Literal('agent'), Type.Literal('node')],
          { description: 'node: a node that is not an agent' },
        ),
        agent: Type.Optional(Type.String({ description: 'The agent that the node runs' })),
      }),
      { description: 'The nodes of the graph' },
    ),
    edges: Type.Array(
      Type.Object({
        source: Type.String({ description: 'The id of the node at which the edge starts' }),
        target: Type.String({ description: 'The id of the node at which it ends' }),
        conditional: Type.Boolean({ description: 'Whether a condition decides if the edge is taken' }),
        label: Type.Optional(Type.String({ description: 'The name of the condition' })),
      }),
      { description: 'The edges between them' },
    ),
  },
  { title: 'Graph' },
);
export type GraphJson = Static<typeof GraphJson>;

type Node = GraphJson['nodes'][number];

/** `agents` are the names of the workflow's agents. */
export function graphJson(graph: DrawableGraph, agents: Set<string>): GraphJson {
  return {
    nodes: Object.keys(graph.nodes).map((id) => nodeOf(id, agents)),
    edges: graph.edges.map(({ source, target, data, conditional = false }) => ({
      source,
      target,
      conditional,
      ...(data === undefined ? {} : { label: data }),
    })),
  };
}

/** In an expanded subgraph, a node's id is `parent:name`. */
function nodeOf(id: string, agents: Set<string>): Node {
  if (id.endsWith('__start__')) return { id, label: 'start', kind: 'start' };
  if (id.endsWith('__end__')) return { id, label: 'end', kind: 'end' };
  const label = id.split(/[:|]/).at(-1) ?? id;
  return agents.has(label) ? { id, label, kind: 'agent', agent: label } : { id, label, kind: 'node' };
}

const HEIGHT = 36;
const CHAR_WIDTH = 7.6;
const MARGIN = 16;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * Draws a graph from top to bottom. Conditional edges are dashed, and the nodes of a subgraph have a frame with its name. The
 * colours are readable on light and dark pages.
 */
export async function graphSvg({ nodes, edges }: GraphJson): Promise<string> {
  const { Graph, layout } = await import('@dagrejs/dagre');
  const plan = new Graph({ compound: true }).setGraph({
    rankdir: 'TB',
    nodesep: 28,
    ranksep: 44,
    marginx: MARGIN,
    marginy: MARGIN,
  });
  plan.setDefaultEdgeLabel(() => ({}));
  for (const { id, label } of nodes)
    plan.setNode(layoutId(id), { width: label.length * CHAR_WIDTH + 28, height: HEIGHT });
  const frames = framesOf(nodes);
  for (const id of frames) plan.setNode(layoutId(id), {});
  for (const id of [...frames, ...nodes.map((node) => node.id)]) {
    const frame = frameOf(id);
    if (frame !== undefined) plan.setParent(layoutId(id), layoutId(frame));
  }
  for (const { source, target } of edges) plan.setEdge(layoutId(source), layoutId(target));
  layout(plan);
  const { width = 0, height = 0 } = plan.graph();
  const lines = edges.map(({ source, target, conditional }) => {
    const { points = [] } = plan.edge(layoutId(source), layoutId(target)) as {
      points?: { x: number; y: number }[];
    };
    const path = points
      .map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`)
      .join(' ');
    return `<path class="edge${conditional ? ' conditional' : ''}" d="${path}" marker-end="url(#arrow)"/>`;
  });
  const boxes = nodes.map((node) => box(node, plan.node(layoutId(node.id)) as Box));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${round(height)}" width="${round(width)}" height="${round(height)}" role="img">
<style>${STYLE}</style>
<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" class="head"/></marker></defs>
${[...frames.map((id) => frameBox(id, plan.node(layoutId(id)) as Box)), ...lines, ...boxes].join('\n')}
</svg>
`;
}

/** The id of a node in the layout. The prefix avoids ids with a meaning for dagre, such as the empty one. */
function layoutId(id: string): string {
  return `node ${id}`;
}

/** The id of the subgraph that contains a node. Undefined in the root graph. */
function frameOf(id: string): string | undefined {
  const end = Math.max(id.lastIndexOf(':'), id.lastIndexOf('|'));
  return end > 0 ? id.slice(0, end) : undefined;
}

/** The ids of all subgraphs, outermost first. */
function framesOf(nodes: Node[]): string[] {
  const found = new Set<string>();
  for (const { id } of nodes)
    for (let frame = frameOf(id); frame !== undefined; frame = frameOf(frame)) found.add(frame);
  return [...found].sort((a, b) => a.length - b.length);
}

const STYLE = `
.edge{fill:none;stroke:#64748b;stroke-width:1.5}.conditional{stroke-dasharray:5 4}.head{fill:#64748b}
rect{fill:#f8fafc;stroke:#64748b;stroke-width:1.5}.agent rect{fill:#e0f2fe;stroke:#0369a1}
.frame rect{fill:#94a3b81f;stroke:#94a3b8;stroke-dasharray:3 3}.frame text{fill:#64748b;text-anchor:start}
.start rect,.end rect{fill:#64748b}.start text,.end text{fill:#fff}
text{font:13px ui-monospace,monospace;fill:#0f172a;text-anchor:middle}`;

/** The frame of a subgraph. Its name is in the lower left corner, where it crosses the fewest edges. */
function frameBox(id: string, { x, y, width, height }: Box): string {
  const [left, top] = [round(x - width / 2), round(y - height / 2)];
  const name = id.slice((frameOf(id)?.length ?? -1) + 1);
  return `<g class="frame"><rect x="${left}" y="${top}" width="${round(width)}" height="${round(height)}" rx="8"/><text x="${left + 10}" y="${round(top + height - 8)}">${textOf(name)}</text></g>`;
}

function box({ label, kind }: Node, { x, y, width, height }: Box): string {
  const radius = kind === 'start' || kind === 'end' ? height / 2 : 6;
  const left = round(x - width / 2);
  const top = round(y - height / 2);
  const shape = `<rect x="${left}" y="${top}" width="${round(width)}" height="${round(height)}" rx="${radius}"/>`;
  return `<g class="${kind}">${shape}<text x="${round(x)}" y="${round(y)}" dy=".35em">${textOf(label)}</text></g>`;
}

/** Replaces control characters, which XML doesn't allow, not even escaped. */
function textOf(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: intended
  return Bun.escapeHTML(text.replaceAll(/[\u0000-\u001f]/g, ' '));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
