/** Converts a command of LangGraph's protocol into LangGraph's `Command`. */
import { Command, Send } from '@langchain/langgraph';
import { isPublic } from '../../../graphs/authoring/public-channels.ts';
import type { CompiledGraph } from '../../../graphs/authoring/workflow.ts';
import type { RunCommand } from '../../../state/threads/runs.ts';

type Graph = Pick<CompiledGraph, 'nodes' | 'channels'>;

/**
 * Drops updates of unknown channels and inputs of unknown nodes: LangGraph accepts names that every object has, such as
 * `constructor`, as channels and nodes, and afterwards the thread's state can't be read. Returns null if nothing is left;
 * null as an input continues the graph.
 */
export function graphCommand({ resume, ...command }: RunCommand, graph: Graph): Command | null {
  const update = updateIn(command, graph);
  const goto = nodesIn(command, graph);
  const hasChanges = command.update !== undefined || command.goto !== undefined;
  if (hasChanges && resume === undefined && update.length === 0 && goto.length === 0) return null;
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
