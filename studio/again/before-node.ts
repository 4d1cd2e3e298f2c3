/** The checkpoint from which a node ran: where it is run again from. */
import type { CheckpointEntry } from '../data/checkpoints.ts';
import type { AgentView } from '../data/run-view.ts';

export interface Work {
  agent: AgentView;
  /** Where the node is a step of the agent's work. */
  step: string | undefined;
  /** How often it has run. */
  times: number;
}

/** `checkpoints`: all of the turn, newest first. Undefined where it is not kept. */
export function beforeNode(
  checkpoints: CheckpointEntry[],
  { agent, step, times }: Work,
): CheckpointEntry | undefined {
  const around = step === undefined ? agent.path : [...agent.path, agent.agent];
  const within = around.length === 0 ? null : around.join('/');
  const name = step ?? agent.agent;
  const before = checkpoints.filter((one) => one.within === within && one.next.includes(name));
  if (step === undefined && before.length === times) return before[times - agent.execution];
  // Of nodes that ran side by side, there is one for all: the last before they began.
  const earlier = before.find(({ created_at }) => Date.parse(created_at) <= agent.startedAt);
  return earlier ?? before[0];
}
