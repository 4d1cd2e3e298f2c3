/** The frame around the inner nodes of an expanded node. */
import type { Node, NodeProps } from '@xyflow/react';
import { nameOf } from '../../data/runs/node-id.ts';
import { Icon } from '../../parts/icon.tsx';

export interface GroupData extends Record<string, unknown> {
  agent: string;
  close(): void;
}

export function GroupBox({ data: { agent, close } }: NodeProps<Node<GroupData, 'agent'>>) {
  return (
    <div className="graph-group">
      <button type="button" className="nodrag nopan" aria-label={`Collapse ${agent}`} onClick={close}>
        <Icon name="close" size={11} />
        {nameOf(agent)}
      </button>
    </div>
  );
}
