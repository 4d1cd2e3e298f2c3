/** A node of the graph: its name, status, duration and tokens. */
import type { Node, NodeProps } from '@xyflow/react';
import type { CSSProperties } from 'react';
import { durationText, Elapsed } from '../../parts/formats/time.tsx';
import { Icon } from '../../parts/icon.tsx';
import type { NodeState, NodeStatus } from '../graph-state.ts';
import type { Heat } from '../heat.ts';
import type { ShownNode } from '../shown-graph.ts';

export interface NodeData extends Record<string, unknown> {
  node: ShownNode;
  state: NodeState | undefined;
  heat: Heat | undefined;
  /** The graph shows the heat map instead of a run. */
  heated: boolean;
  selected: boolean;
  select(): void;
  /** The node's breakpoints; `inside` for those of inner nodes. */
  breakpoints: ('before' | 'after' | 'inside')[];
  /** Expands the node; undefined if it has no inner nodes. */
  open: (() => void) | undefined;
}

const LABELS: Record<NodeStatus, string> = {
  idle: 'not run',
  running: 'running',
  good: 'finished',
  bad: 'failed',
  waiting: 'waiting for you',
  cancelled: 'cancelled',
};

const BREAKPOINTS = {
  before: 'Breakpoint before',
  after: 'Breakpoint after',
  inside: 'Breakpoint inside',
};

export function GraphNodeBox({ data }: NodeProps<Node<NodeData, 'box'>>) {
  const { node, state, heat, heated, selected, select, breakpoints, open } = data;
  const status = heated ? 'idle' : (state?.status ?? 'idle');
  const isEnd = node.kind === 'start' || node.kind === 'end';
  return (
    <>
      {isEnd ? (
        <div className="graph-end" data-status={status}>
          {node.label}
        </div>
      ) : (
        <div
          className="graph-node"
          data-status={status}
          data-selected={selected}
          data-heated={heated}
          style={heat && ({ '--heat': `${Math.round(heat.share * 100)}%` } as CSSProperties)}
        >
          <button type="button" className="nodrag nopan" aria-pressed={selected} onClick={select}>
            <span className="label">{node.label}</span>
            <span className="facts-line">
              {heated ? (heat?.text ?? 'no runs') : <Facts state={state} status={status} />}
            </span>
          </button>
          {breakpoints.map((where) => (
            <span
              key={where}
              className="breakpoint"
              data-where={where}
              role="img"
              aria-label={BREAKPOINTS[where]}
              title={BREAKPOINTS[where]}
            />
          ))}
          {open && (
            <button
              type="button"
              className="nodrag nopan opener"
              aria-label={`Expand ${node.label}`}
              onClick={open}
            >
              <Icon name="plus" size={12} />
            </button>
          )}
        </div>
      )}
    </>
  );
}

function Facts({ state, status }: { state: NodeState | undefined; status: NodeStatus }) {
  if (!state || status === 'idle') return <>{LABELS.idle}</>;
  const { durationMs, startedAt, usage, times } = state;
  const tokens = usage ? usage.input_tokens + usage.output_tokens : 0;
  return (
    <>
      <span className="visually-hidden">{LABELS[status]}, </span>
      {status === 'running' && startedAt !== undefined && <Elapsed since={startedAt} />}
      {status === 'waiting' && (state.stop ? `stopped ${state.stop} ` : 'waiting for you')}
      {status === 'cancelled' && 'cancelled '}
      {status !== 'running' && durationMs !== undefined && durationText(durationMs)}
      {tokens > 0 && ` · ${tokens.toLocaleString()} tok`}
      {times > 1 && ` · ×${times}`}
    </>
  );
}
