/** Finds the output of an agent in the response of its run. */
import type { AgentView } from '../data/runs/run-view.ts';
import type { KnownRun } from './use-run.ts';

/**
 * The response has the outputs of the root graph's nodes, in order. If some executions have no output, they can't be matched,
 * and this returns undefined.
 */
export function outputIn({ view, agents }: KnownRun, { agent, path, execution }: AgentView) {
  const own = view?.response?.outputs.filter((one) => one.agent === agent) ?? [];
  const times = agents.filter((one) => one.agent === agent && one.path.length === 0).length;
  return path.length === 0 && own.length === times ? own[execution - 1] : undefined;
}
