/** A command of LangGraph's protocol as LangGraph takes it. */
import { Command, Send } from '@langchain/langgraph';
import { isPublic } from '../../../graphs/authoring/public-channels.ts';
import type { CompiledGraph } from '../../../graphs/authoring/workflow.ts';
import type { RunCommand } from '../../../state/runs.ts';

type Graph = Pick<CompiledGraph, 'nodes' | 'channels'>;

/**
 * Updates of what is no state of the graph and inputs of unknown nodes are dropped: LangGraph takes names that every object
 * has, such as `constructor`, for channels and nodes, and then the thread's state can no longer be read. Null where nothing
 * is left: then the run goes on.
 */
export function graphCommand({ resume, ...command }: RunCommand, graph: Graph): Command | null {
  const update = updateIn(command, graph);
  const goto = nodesIn(command, graph);
  const asked = command.update !== undefined || command.goto !== undefined;
  if (asked && resume === undefined && update.length === 0 && goto.length === 0) return null;
  return new Command({
    ...(resume !== undefined && { resume }),
    ...(update.length > 0 && { update }),
    ...(goto.length > 0 && { goto }),
  });
}

function updateIn({ update = {} }: RunCommand, { channels }: Graph): [string, unknown][] {
  const entries = Array.isArray(update) ? update : Object.entries(update);
  return entries.filter(([channel]) => isPublic(channel) && Object.hasOwn(channels, channel));
}

function nodesIn({ goto = [] }: RunCommand, { nodes }: Graph): (string | Send)[] {
  const known = goto.filter((one) => typeof one === 'string' || Object.hasOwn(nodes, one.node));
  return known.map((one) => (typeof one === 'string' ? one : new Send(one.node, one.input)));
}
