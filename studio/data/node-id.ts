/** The ids of the graph's nodes: the names from the outermost graph to the node, with colons between; an agent's steps have such ids, too. */

export interface Worker {
  agent: string;
  path: string[];
}

export function nodeOf({ agent, path }: Worker): string {
  return [...path, agent].join(':');
}

/** Stands for summaries and follow-up questions, which no agent asks for; no node of a graph has such an id. */
export const CONVERSATION = ':conversation';

/** The node whose graph it is in; undefined at the root. */
export function parentOf(id: string): string | undefined {
  const colon = id.lastIndexOf(':');
  return colon < 0 ? undefined : id.slice(0, colon);
}

export function nameOf(id: string): string {
  return id.slice(id.lastIndexOf(':') + 1);
}

/** Of `a:b:c`: `a` and `a:b`. */
export function nodesAround(id: string): string[] {
  const names = id.split(':');
  return names.slice(0, -1).map((_, index) => names.slice(0, index + 1).join(':'));
}

export interface WorkAt<Agent> {
  /** In the order in which they began. */
  executions: Agent[];
  /** Where the node is a step of the agent's work. */
  step: string | undefined;
}

/** What has worked at a node. */
export function workAt<Agent extends Worker>(agents: Agent[], node: string): WorkAt<Agent> {
  const executions = agents.filter((agent) => nodeOf(agent) === node);
  const parent = parentOf(node);
  if (executions.length > 0 || parent === undefined) return { executions, step: undefined };
  return { executions: agents.filter((agent) => nodeOf(agent) === parent), step: nameOf(node) };
}
