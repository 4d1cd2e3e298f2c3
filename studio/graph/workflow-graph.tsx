/** A workflow's graph with what a run does in it. */
import {
  Background,
  Controls,
  type Node,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from '@xyflow/react';
import { memo, useEffect, useEffectEvent, useMemo, useState } from 'react';
import '@xyflow/react/dist/base.css';
import { type Breakpoints, breakpointsAt } from '../data/breakpoints.ts';
import { EdgeLines } from './edge-lines.tsx';
import { GraphNodeBox, type NodeData } from './graph-node.tsx';
import type { GraphState } from './graph-state.ts';
import { GroupBox, type GroupData } from './group-box.tsx';
import type { Heat } from './heat.ts';
import type { Laid } from './layout.ts';
import type { ShownGraph } from './shown-graph.ts';
import './graph.css';

interface WorkflowGraphProps {
  graph: ShownGraph;
  laid: Laid;
  state: GraphState;
  heat: Map<string, Heat> | undefined;
  selected: string | undefined;
  select(node: string): void;
  openable: ReadonlySet<string>;
  toggle(agent: string): void;
  sought: Sought | undefined;
  breakpoints: Breakpoints;
}

/** The node that is brought into sight. */
export interface Sought {
  node: string;
  /** In readable size, where all of the graph has another. */
  isNear: boolean;
}

const NODE_TYPES = { box: GraphNodeBox, agent: GroupBox };
const FIT = { padding: 0.08, maxZoom: 1.1 };
// Smaller, the labels of a whole graph are no words any more: a part of it is shown instead.
const SMALLEST_WHOLE = 0.35;
const READABLE = 0.9;
// Below, a node is its name alone, in larger letters.
const FAR = 0.5;

export const WorkflowGraphView = memo(function WorkflowGraphView(props: WorkflowGraphProps) {
  const nodes = useMemo(() => nodesOf(props), [props]);
  // Set later, its nodes would all be drawn in one task.
  return (
    <ReactFlowProvider initialNodes={nodes}>
      <Flow {...props} nodes={nodes} />
    </ReactFlowProvider>
  );
});

function Flow({
  graph,
  laid,
  state,
  heat,
  sought,
  selected,
  nodes,
}: WorkflowGraphProps & { nodes: GraphNode[] }) {
  const flow = useReactFlow();
  const isFar = useStore(({ transform: [, , zoom] }) => zoom < FAR);
  const [frame, setFrame] = useState<HTMLDivElement | null>(null);
  const place = useEffectEvent((element: HTMLElement) => {
    const { clientWidth, clientHeight } = element;
    const whole = Math.min(clientWidth / laid.width, clientHeight / laid.height);
    const boxOf = (node = '') => laid.nodes.get(node) ?? laid.groups.get(node);
    const isWhole = whole >= (sought?.isNear ? READABLE : SMALLEST_WHOLE);
    const box = isWhole ? undefined : (boxOf(sought?.node) ?? boxOf(selected) ?? [...laid.nodes.values()][0]);
    if (!box) return void flow.fitView(FIT);
    void flow.setViewport({
      x: shift(clientWidth, laid.width, box.x + box.width / 2),
      y: shift(clientHeight, laid.height, box.y + box.height / 2),
      zoom: READABLE,
    });
  });
  // Whatever changes its place or its frame: all of it stays in sight, or what is looked for.
  // biome-ignore lint/correctness/useExhaustiveDependencies: of a new layout
  useEffect(() => {
    if (!frame) return;
    const observer = new ResizeObserver(() => place(frame));
    observer.observe(frame);
    return () => observer.disconnect();
  }, [frame, laid, sought]);
  return (
    <div className="graph-frame" ref={setFrame} data-far={isFar}>
      <ReactFlow
        nodes={nodes}
        nodeTypes={NODE_TYPES}
        fitView
        fitViewOptions={FIT}
        minZoom={0.1}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        preventScrolling={false}
        aria-label="Graph"
      >
        <EdgeLines edges={graph.edges} laid={laid} taken={heat === undefined ? state.taken : undefined} />
        <Background gap={18} size={1} />
        <Controls showInteractive={false} fitViewOptions={FIT} />
      </ReactFlow>
    </div>
  );
}

const EDGE = 16;

/** So that a place of the graph is in the middle of the frame, or nearer to the graph's end where nothing is beyond. */
function shift(frame: number, graph: number, place: number): number {
  const size = graph * READABLE;
  if (size + 2 * EDGE <= frame) return (frame - size) / 2;
  return Math.min(EDGE, Math.max(frame - size - EDGE, frame / 2 - place * READABLE));
}

type GraphNode = Node<NodeData, 'box'> | Node<GroupData, 'agent'>;

function nodesOf({
  graph,
  laid,
  state,
  heat,
  selected,
  select,
  openable,
  toggle,
  breakpoints,
}: WorkflowGraphProps): GraphNode[] {
  const groups = Array.from(
    laid.groups,
    ([agent, { x, y, width, height }]): GraphNode => ({
      ...{ id: `group ${agent}`, type: 'agent', position: { x, y }, width, height, zIndex: -1 },
      data: { agent, close: () => toggle(agent) },
    }),
  );
  const boxes = graph.nodes.flatMap((node): GraphNode[] => {
    const place = laid.nodes.get(node.id);
    if (!place) return [];
    const { x, y, width, height } = place;
    const data: NodeData = {
      ...{ node, state: state.nodes.get(node.id), heat: heat?.get(node.id), heated: heat !== undefined },
      selected: node.id === selected,
      select: () => select(node.id),
      breakpoints: breakpointsAt(breakpoints, node.id),
      open: openable.has(node.id) ? () => toggle(node.id) : undefined,
    };
    return [{ id: node.id, type: 'box', position: { x, y }, width, height, data }];
  });
  return [...groups, ...boxes];
}
