/** Renders the graph as a stand-alone SVG or PNG. */
import type { GraphState, NodeStatus } from '../graph-state.ts';
import type { Heat } from '../heat.ts';
import { type GraphLayout, pathOf } from '../layout/layout.ts';
import type { ShownGraph } from '../shown-graph.ts';

export interface RenderedGraph {
  graph: ShownGraph;
  layout: GraphLayout;
  state: GraphState;
  heat: Map<string, Heat> | undefined;
}

// Always the light theme, because exports are used in documents.
const COLOURS: Record<NodeStatus, [line: string, fill: string]> = {
  idle: ['#8b8d90', '#ffffff'],
  running: ['#1c63c4', '#e3eefb'],
  good: ['#1d7140', '#e3f3e9'],
  bad: ['#b3261e', '#fbe9e7'],
  waiting: ['#865300', '#fbf0da'],
  cancelled: ['#5d6066', '#f0f0ed'],
};
const MARGIN = 16;

/** Uses attributes instead of a stylesheet, which some image viewers don't support. */
export function graphSvg({ graph, layout, state, heat }: RenderedGraph): string {
  const [width, height] = [layout.width + 2 * MARGIN, layout.height + 2 * MARGIN];
  const edges = graph.edges.map(({ source, target, conditional }) => {
    const id = `${source}→${target}`;
    const taken = heat === undefined && state.taken.has(id);
    const [colour, thick] = taken ? ['#1d7140', 2.2] : ['#8b8d90', 1.4];
    const dash = conditional && !taken ? ' stroke-dasharray="5 4"' : '';
    const path = pathOf(layout.edges.get(id) ?? []);
    return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${thick}"${dash} marker-end="url(#${taken ? 'taken' : 'arrow'})"/>`;
  });
  const groups = Array.from(
    layout.groups,
    ([agent, { x, y, width, height }]) =>
      `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="12" fill="#f6f6f4" stroke="#8b8d90" stroke-dasharray="4 4"/>${words(x + 10, y + 16, agent, '#5d6066')}`,
  );
  const nodes = graph.nodes.map((node) => {
    const box = layout.nodes.get(node.id);
    if (!box) return '';
    const { x, y, width, height } = box;
    const [line, cold] = COLOURS[heat ? 'idle' : (state.nodes.get(node.id)?.status ?? 'idle')];
    const fill = heat ? warm(heat.get(node.id)?.share ?? 0) : cold;
    const isEnd = node.kind === 'start' || node.kind === 'end';
    const rect = `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${isEnd ? height / 2 : 8}" fill="${fill}" stroke="${line}" stroke-width="1.5"/>`;
    return rect + words(x + 12, y + height / 2 + 4, node.label, '#1b1c1e');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-MARGIN} ${-MARGIN} ${width} ${height}">
<defs>${arrow('arrow', '#8b8d90')}${arrow('taken', '#1d7140')}</defs>
<rect x="${-MARGIN}" y="${-MARGIN}" width="${width}" height="${height}" fill="#ffffff"/>
${[...groups, ...edges, ...nodes].join('\n')}
</svg>
`;
}

const SCALE = 2;

/** The SVG as PNG, at twice its size. */
export async function graphPng(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.width * SCALE;
  canvas.height = image.height * SCALE;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const { promise, resolve, reject } = Promise.withResolvers<Blob>();
  canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The image is too large.'))));
  return promise;
}

function arrow(id: string, colour: string): string {
  return `<marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0 8 4 0 8z" fill="${colour}"/></marker>`;
}

function words(x: number, y: number, text: string, colour: string): string {
  return `<text x="${x}" y="${y}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12" fill="${colour}">${escaped(text)}</text>`;
}

function warm(share: number): string {
  const part = (cold: number, hot: number) => Math.round(cold + (hot - cold) * share);
  return `rgb(${part(255, 242)},${part(255, 161)},${part(255, 122)})`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
