/** The selected node of a run, and its execution. The address has the node, so that you can link to it. */
import { useCallback, useState } from 'react';
import { nodeOf, workAt } from '../data/runs/node-id.ts';
import type { AgentView } from '../data/runs/run-view.ts';
import { changeQuery, useLocation } from '../routing/router.ts';

export interface SelectedNode {
  /** Undefined if nothing has run yet. */
  node: string | undefined;
  /** The latest execution, unless another is selected. */
  execution: number | undefined;
}

/** By default, the node that is running or ran last. */
export function useSelectedNode(agents: AgentView[]) {
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
  return { chosen: { node, execution } as SelectedNode, choose };
}
