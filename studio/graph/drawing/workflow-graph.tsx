/** The graph of a workflow with the state of a run. */
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
import { type Breakpoints, breakpointsAt } from '../../data/threads/breakpoints.ts';
import type { GraphState } from '../graph-state.ts';
import type { Heat } from '../heat.ts';
import type { GraphLayout } from '../layout/layout.ts';
import type { ShownGraph } from '../shown-graph.ts';
import { EdgeLines } from './edge-lines.tsx';
import { GraphNodeBox, type NodeData } from './graph-node.tsx';
import { GroupBox, type GroupData } from './group-box.tsx';
import '../graph.css';

interface WorkflowGraphProps {
  graph: ShownGraph;
  layout: GraphLayout;
  state: GraphState;
  heat: Map<string, Heat> | undefined;
  selected: string | undefined;
  select(node: string): void;
  openable: ReadonlySet<string>;
  toggle(agent: string): void;
  focus: GraphFocus | undefined;
  breakpoints: Breakpoints;
}

/** The node to scroll into view. */
export interface GraphFocus {
  node: string;
  /** Zoom to a readable size if the whole graph would be smaller. */
  isNear: boolean;
}

const NODE_TYPES = { box: GraphNodeBox, agent: GroupBox };
const FIT = { padding: 0.08, maxZoom: 1.1 };
// Below this zoom, labels of the whole graph are unreadable, so a part of it is shown instead.
const MIN_WHOLE_ZOOM = 0.35;
const READABLE_ZOOM = 0.9;
// Below this zoom, nodes show only their names, in larger type.
const FAR_ZOOM = 0.5;

export const WorkflowGraphView = memo(function WorkflowGraphView(props: WorkflowGraphProps) {
  const nodes = useMemo(() => nodesOf(props), [props]);
  // React Flow draws nodes that are set later in a single task.
  return (
    <ReactFlowProvider initialNodes={nodes}>
      <Flow {...props} nodes={nodes} />
    </ReactFlowProvider>
  );
});

function Flow(props: WorkflowGraphProps & { nodes: GraphNode[] }) {
  const { graph, layout, state, heat, focus, selected, nodes } = props;
  const flow = useReactFlow();
  const isFar = useStore(({ transform: [, , zoom] }) => zoom < FAR_ZOOM);
  const [frame, setFrame] = useState<HTMLDivElement | null>(null);
  const place = useEffectEvent((element: HTMLElement) => {
    const { clientWidth, clientHeight } = element;
    const whole = Math.min(clientWidth / layout.width, clientHeight / layout.height);
    const boxOf = (node = '') => layout.nodes.get(node) ?? layout.groups.get(node);
    const isWhole = whole >= (focus?.isNear ? READABLE_ZOOM : MIN_WHOLE_ZOOM);
    const box = isWhole
      ? undefined
      : (boxOf(focus?.node) ?? boxOf(selected) ?? [...layout.nodes.values()][0]);
    if (!box) return void flow.fitView(FIT);
    void flow.setViewport({
      x: shift(clientWidth, layout.width, box.x + box.width / 2),
      y: shift(clientHeight, layout.height, box.y + box.height / 2),
      zoom: READABLE_ZOOM,
    });
  });
  // After each change of the layout, the size or the focus, fit the graph or scroll to the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: also runs for a new layout
  useEffect(() => {
    if (!frame) return;
    const observer = new ResizeObserver(() => place(frame));
    observer.observe(frame);
    return () => observer.disconnect();
  }, [frame, layout, focus]);
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
        <EdgeLines edges={graph.edges} layout={layout} taken={heat === undefined ? state.taken : undefined} />
        <Background gap={18} size={1} />
        <Controls showInteractive={false} fitViewOptions={FIT} />
      </ReactFlow>
    </div>
  );
}

const EDGE = 16;

/** The offset that centres a point of the graph in the frame without scrolling past the edge of the graph. */
function shift(frame: number, graph: number, place: number): number {
  const size = graph * READABLE_ZOOM;
  if (size + 2 * EDGE <= frame) return (frame - size) / 2;
  return Math.min(EDGE, Math.max(frame - size - EDGE, frame / 2 - place * READABLE_ZOOM));
}

type GraphNode = Node<NodeData, 'box'> | Node<GroupData, 'agent'>;

function nodesOf({
  graph,
  layout,
  state,
  heat,
  selected,
  select,
  openable,
  toggle,
  breakpoints,
}: WorkflowGraphProps): GraphNode[] {
  const groups = Array.from(
    layout.groups,
    ([agent, { x, y, width, height }]): GraphNode => ({
      ...{ id: `group ${agent}`, type: 'agent', position: { x, y }, width, height, zIndex: -1 },
      data: { agent, close: () => toggle(agent) },
    }),
  );
  const boxes = graph.nodes.flatMap((node): GraphNode[] => {
    const place = layout.nodes.get(node.id);
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
