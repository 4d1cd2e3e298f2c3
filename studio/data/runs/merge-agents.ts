/** The agents of a run, merged from its two sources: the record of a finished run, and its events. */
import { type AgentView, agentsOfRun, keyOf, type ToolView } from './run-view.ts';
import type { Run } from './runs.ts';

/** Takes the work of each agent from the record. Only events have texts, custom data, and the inputs and outputs of tools. */
export function mergeAgents(run: Run | undefined, fromEvents: AgentView[]): AgentView[] {
  if (!run) return fromEvents;
  const byKey = new Map(fromEvents.map((agent) => [keyOf(agent), agent]));
  const contents = toolContents(fromEvents);
  return agentsOfRun(run).map((agent) => {
    const { text = '', statuses = [], custom = [], attempt = 1 } = byKey.get(keyOf(agent)) ?? {};
    const tools = agent.tools.map((tool) => ({ ...contents(agent.agent, tool), ...tool }));
    return { ...agent, text, statuses, custom, attempt, tools };
  });
}

/** An event doesn't say which execution of an agent called the tool, so calls are matched by name and id, in order. */
function toolContents(fromEvents: AgentView[]) {
  const nameOf = (agent: string, { tool, id }: ToolView) => JSON.stringify([agent, tool, id]);
  const unclaimed = Map.groupBy(
    fromEvents.flatMap(({ agent, tools }) => tools.map((tool) => ({ name: nameOf(agent, tool), tool }))),
    ({ name }) => name,
  );
  return (agent: string, tool: ToolView): Pick<ToolView, 'input' | 'output'> => {
    const { input, output } = unclaimed.get(nameOf(agent, tool))?.shift()?.tool ?? {};
    return { input, output };
  };
}
