/** What an agent gave, among the outputs of its run. */
import type { AgentView } from '../data/run-view.ts';
import type { KnownRun } from './use-run.ts';

/** The response has what the nodes of the root gave, in their order; not of each execution where some gave nothing. */
export function outputIn({ view, agents }: KnownRun, { agent, path, execution }: AgentView) {
  const own = view?.response?.outputs.filter((one) => one.agent === agent) ?? [];
  const times = agents.filter((one) => one.agent === agent && one.path.length === 0).length;
  return path.length === 0 && own.length === times ? own[execution - 1] : undefined;
}
