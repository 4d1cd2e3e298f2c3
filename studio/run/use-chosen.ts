/** Which node of a run is looked at, and which time that it ran. */
import { useState } from 'react';
import { nodeOf, workAt } from '../data/node-id.ts';
import type { AgentView } from '../data/run-view.ts';

export interface Chosen {
  /** Undefined while nothing has run. */
  node: string | undefined;
  /** Its newest where none is chosen. */
  execution: number | undefined;
}

/** Until somebody chooses, what works now, or worked last. */
export function useChosen(agents: AgentView[]) {
  const [chosen, setChosen] = useState<{ node: string; execution?: number }>();
  const newest = agents.findLast(({ state }) => state === 'started') ?? agents.at(-1);
  const node = chosen?.node ?? (newest && nodeOf(newest));
  const executions = node === undefined ? [] : workAt(agents, node).executions;
  const execution = chosen?.execution ?? executions.at(-1)?.execution;
  return {
    chosen: { node, execution } as Chosen,
    choose: (node: string, execution?: number) => setChosen({ node, ...(execution && { execution }) }),
  };
}
