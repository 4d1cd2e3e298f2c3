/** Finds the checkpoint from which a node ran, to run it again from there. */

import type { AgentView } from '../data/runs/run-view.ts';
import type { CheckpointEntry } from '../data/threads/checkpoints.ts';

export interface Work {
  agent: AgentView;
  /** The step's name, if the node is a step of an agent. */
  step: string | undefined;
  /** The number of times that the node has run. */
  times: number;
}

/** `checkpoints`: all checkpoints of the turn, newest first. Returns undefined if the node's checkpoint isn't kept. */
export function beforeNode(
  checkpoints: CheckpointEntry[],
  { agent, step, times }: Work,
): CheckpointEntry | undefined {
  const around = step === undefined ? agent.path : [...agent.path, agent.agent];
  const within = around.length === 0 ? null : around.join('/');
  const name = step ?? agent.agent;
  const before = checkpoints.filter((one) => one.within === within && one.next.includes(name));
  if (step === undefined && before.length === times) return before[times - agent.execution];
  // Nodes that ran in parallel share one checkpoint: the last one before they started.
  const earlier = before.find(({ created_at }) => Date.parse(created_at) <= agent.startedAt);
  return earlier ?? before[0];
}
