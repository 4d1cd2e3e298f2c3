/** Which node of a run is looked at, and which time that it ran. The address names the node, so that a link opens it. */
import { useCallback, useState } from 'react';
import { nodeOf, workAt } from '../data/node-id.ts';
import type { AgentView } from '../data/run-view.ts';
import { changeQuery, useLocation } from '../router.ts';

export interface Chosen {
  /** Undefined while nothing has run. */
  node: string | undefined;
  /** Its newest where none is chosen. */
  execution: number | undefined;
}

/** Until somebody chooses, what works now, or worked last. */
export function useChosen(agents: AgentView[]) {
  const named = useLocation().query.get('node') ?? undefined;
  const [chosen, setChosen] = useState<{ node: string; execution: number | undefined }>();
  const newest = agents.findLast(({ state }) => state === 'started') ?? agents.at(-1);
  const node = named ?? (newest && nodeOf(newest));
  const executions = node === undefined ? [] : workAt(agents, node).executions;
  const wanted = chosen?.node === node ? chosen?.execution : undefined;
  const execution = wanted ?? executions.at(-1)?.execution;
  const choose = useCallback((node: string, execution?: number) => {
    setChosen({ node, execution });
    changeQuery({ node });
  }, []);
  return { chosen: { node, execution } as Chosen, choose };
}
