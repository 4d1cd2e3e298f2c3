/** The layout of a graph in ranks, horizontal or vertical, whichever fits the frame better. */
import { Graph, layout } from '@dagrejs/dagre';
import { nodesAround, parentOf } from '../../data/runs/node-id.ts';
import type { ShownGraph } from '../shown-graph.ts';

export interface Point {
  x: number;
  y: number;
}

/** `x` and `y` are the upper left corner. */
interface Box extends Point {
  width: number;
  height: number;
}

export interface GraphLayout {
  nodes: Map<string, Box>;
  /** The frames around the inner nodes of expanded nodes, outer frames first. */
  groups: Map<string, Box>;
  /** By `source→target`. */
  edges: Map<string, Point[]>;
  width: number;
  height: number;
}

const CHARACTER_WIDTH = 7.3;
// Fits the duration, the tokens and the number of executions below the name.
const MIN_WIDTH = 164;
const AGENT_HEIGHT = 46;
const END_SIZE = { width: 58, height: 26 };
const GROUP_HEAD = 26;
const GROUP_SPACE = 12;

export function layoutGraph(graph: ShownGraph, frame: { width: number; height: number }): GraphLayout {
  const [across, down] = [placed(graph, 'LR'), placed(graph, 'TB')];
  const scale = (result: GraphLayout) =>
    Math.min(frame.width / result.width, frame.height / result.height, 1);
  return scale(down) >= scale(across) ? down : across;
}

function placed({ nodes, edges }: ShownGraph, rankdir: 'LR' | 'TB'): GraphLayout {
  const plan = new Graph({ compound: true }).setGraph({
    rankdir,
    nodesep: 22,
    ranksep: 32,
    marginx: 8,
    marginy: 8,
  });
  plan.setDefaultEdgeLabel(() => ({}));
  for (const { id, label, kind, inside } of nodes) {
    plan.setNode(planId(id), kind === 'start' || kind === 'end' ? { ...END_SIZE } : sizeOf(label));
    if (inside !== undefined) plan.setParent(planId(id), ensureGroup(plan, inside));
  }
  for (const { source, target } of edges) plan.setEdge(planId(source), planId(target));
  layout(plan);
  const boxes = new Map(nodes.map(({ id }) => [id, boxOf(plan.node(planId(id)) as Box)]));
  const groups = groupsAround(nodes, boxes);
  const lines = new Map(
    edges.map(({ source, target }) => {
      const { points = [] } = plan.edge(planId(source), planId(target)) as { points?: Point[] };
      return [`${source}→${target}`, points];
    }),
  );
  return { nodes: boxes, groups, edges: lines, ...extentOf([...boxes.values(), ...groups.values()]) };
}

/** Prefixes an id, because dagre reserves some names, such as the empty one. */
function planId(id: string): string {
  return `node ${id}`;
}

/** Creates the group and its parents if they don't exist yet. */
function ensureGroup(plan: Graph, node: string): string {
  const name = `group ${node}`;
  if (plan.hasNode(name)) return name;
  plan.setNode(name, {});
  const parent = parentOf(node);
  if (parent !== undefined) plan.setParent(name, ensureGroup(plan, parent));
  return name;
}

function sizeOf(label: string) {
  return {
    width: Math.max(MIN_WIDTH, Math.round(label.length * CHARACTER_WIDTH + 52)),
    height: AGENT_HEIGHT,
  };
}

/** Converts dagre's centre to the upper left corner. */
function boxOf({ x, y, width, height }: Box): Box {
  return { x: x - width / 2, y: y - height / 2, width, height };
}

/** Frames around inner nodes and inner groups. */
function groupsAround(nodes: ShownGraph['nodes'], boxes: Map<string, Box>): Map<string, Box> {
  const ids = nodes.flatMap(({ inside }) => (inside === undefined ? [] : [...nodesAround(inside), inside]));
  const groups = new Map<string, Box>();
  const innermostFirst = [...new Set(ids)].sort((a, b) => b.split(':').length - a.split(':').length);
  for (const group of innermostFirst) {
    const inner = [...boxes, ...groups].filter(([id]) => parentOf(id) === group).map(([, box]) => box);
    const left = Math.min(...inner.map(({ x }) => x)) - GROUP_SPACE;
    const top = Math.min(...inner.map(({ y }) => y)) - GROUP_HEAD;
    const right = Math.max(...inner.map(({ x, width }) => x + width)) + GROUP_SPACE;
    const bottom = Math.max(...inner.map(({ y, height }) => y + height)) + GROUP_SPACE;
    groups.set(group, { x: left, y: top, width: right - left, height: bottom - top });
  }
  // Outer groups first, so that they are drawn below inner ones.
  return new Map([...groups].reverse());
}

function extentOf(boxes: Box[]): { width: number; height: number } {
  return {
    width: Math.max(1, ...boxes.map(({ x, width }) => x + width)),
    height: Math.max(1, ...boxes.map(({ y, height }) => y + height)),
  };
}

/** A smooth line through the points. */
export function pathOf(points: Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  const pieces = [`M${text(first)}`];
  for (const [index, point] of rest.entries()) {
    const next = rest[index + 1];
    // Curve at the intermediate points, and end at the last one.
    pieces.push(next ? `Q${text(point)} ${text(middle(point, next))}` : `L${text(point)}`);
  }
  return pieces.join('');
}

function middle(a: Point, b: Point): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

function text({ x, y }: Point): string {
  return `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
}
