/** A workflow's graph with what a run does in it. */
import {
  Background,
  Controls,
  type Edge,
  type Node,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react';
import { memo, useEffect, useMemo, useState } from 'react';
import '@xyflow/react/dist/base.css';
import { type Breakpoints, breakpointsAt } from '../data/breakpoints.ts';
import { type EdgeData, EdgeLine } from './edge-line.tsx';
import { GraphNodeBox, type NodeData } from './graph-node.tsx';
import type { GraphState } from './graph-state.ts';
import { GroupBox, type GroupData } from './group-box.tsx';
import type { Heat } from './heat.ts';
import { type Laid, pathOf } from './layout.ts';
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
  breakpoints: Breakpoints;
}

const NODE_TYPES = { box: GraphNodeBox, agent: GroupBox };
const EDGE_TYPES = { line: EdgeLine };
const FIT = { padding: 0.08, maxZoom: 1.1 };

export const WorkflowGraphView = memo(function WorkflowGraphView(props: WorkflowGraphProps) {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  );
});

function Flow(props: WorkflowGraphProps) {
  const { laid } = props;
  const nodes = useMemo(() => nodesOf(props), [props]);
  const edges = useMemo(() => edgesOf(props), [props]);
  const flow = useReactFlow();
  const [frame, setFrame] = useState<HTMLDivElement | null>(null);
  // Whatever changes its place or its frame: all of it stays in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: of a new layout
  useEffect(() => {
    if (!frame) return;
    const fit = new ResizeObserver(() => void flow.fitView(FIT));
    fit.observe(frame);
    return () => fit.disconnect();
  }, [frame, flow, laid]);
  return (
    <div className="graph-frame" ref={setFrame}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        fitView
        fitViewOptions={FIT}
        minZoom={0.2}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        preventScrolling={false}
        aria-label="Graph"
      >
        <Background gap={18} size={1} />
        <Controls showInteractive={false} fitViewOptions={FIT} />
      </ReactFlow>
    </div>
  );
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

function edgesOf({ graph, laid, state, heat }: WorkflowGraphProps): Edge<EdgeData, 'line'>[] {
  return graph.edges.map(({ source, target, conditional }) => {
    const id = `${source}→${target}`;
    const path = pathOf(laid.edges.get(id) ?? []);
    const taken = heat === undefined ? (state.taken.get(id) ?? 0) : 0;
    return {
      id,
      source,
      target,
      type: 'line',
      data: { path, conditional, taken },
      zIndex: taken > 0 ? 1 : 0,
    };
  });
}
