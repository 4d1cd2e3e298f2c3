/** Node ids: the names from the outermost graph to the node, separated by colons. An agent's steps also have such ids. */

export interface Worker {
  agent: string;
  path: string[];
}

export function nodeOf({ agent, path }: Worker): string {
  return [...path, agent].join(':');
}

/** A pseudo-node for summaries and follow-up questions, which belong to no agent. No node of a graph has this id. */
export const CONVERSATION = ':conversation';

/** The node whose subgraph contains this node; undefined in the root graph. */
export function parentOf(id: string): string | undefined {
  const colon = id.lastIndexOf(':');
  return colon < 0 ? undefined : id.slice(0, colon);
}

export function nameOf(id: string): string {
  return id.slice(id.lastIndexOf(':') + 1);
}

/** The ids of all parent nodes: for `a:b:c`, `a` and `a:b`. */
export function nodesAround(id: string): string[] {
  const names = id.split(':');
  return names.slice(0, -1).map((_, index) => names.slice(0, index + 1).join(':'));
}

export interface WorkAt<Agent> {
  /** In the order in which they started. */
  executions: Agent[];
  /** The step's name, if the node is a step of an agent. */
  step: string | undefined;
}

/** The executions of a node or, for an agent's step, of its agent. */
export function workAt<Agent extends Worker>(agents: Agent[], node: string): WorkAt<Agent> {
  const executions = agents.filter((agent) => nodeOf(agent) === node);
  const parent = parentOf(node);
  if (executions.length > 0 || parent === undefined) return { executions, step: undefined };
  return { executions: agents.filter((agent) => nodeOf(agent) === parent), step: nameOf(node) };
}
