/** What a run's agents have done, from both of its sources: the record of one that is over, and what its events said. */
import { type AgentView, agentsOfRun, keyOf, type ToolView } from './run-view.ts';
import type { Run } from './runs.ts';

/** The record says whose the work was; texts, custom data, and what tools were given and gave are in events alone. */
export function knownAgents(run: Run | undefined, heard: AgentView[]): AgentView[] {
  if (!run) return heard;
  const byKey = new Map(heard.map((agent) => [keyOf(agent), agent]));
  const contents = toolContents(heard);
  return agentsOfRun(run).map((agent) => {
    const { text = '', statuses = [], custom = [], attempt = 1 } = byKey.get(keyOf(agent)) ?? {};
    const tools = agent.tools.map((tool) => ({ ...contents(agent.agent, tool), ...tool }));
    return { ...agent, text, statuses, custom, attempt, tools };
  });
}

/** An event does not say which execution of an agent called the tool: calls are found by name and id, in their order. */
function toolContents(heard: AgentView[]) {
  const nameOf = (agent: string, { tool, id }: ToolView) => JSON.stringify([agent, tool, id]);
  const unclaimed = Map.groupBy(
    heard.flatMap(({ agent, tools }) => tools.map((tool) => ({ name: nameOf(agent, tool), tool }))),
    ({ name }) => name,
  );
  return (agent: string, tool: ToolView): Pick<ToolView, 'input' | 'output'> => {
    const { input, output } = unclaimed.get(nameOf(agent, tool))?.shift()?.tool ?? {};
    return { input, output };
  };
}
