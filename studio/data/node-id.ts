/** The names of the graph's nodes: an agent, or `agent:step` for a step inside of it. */

/** Of a step's node; undefined for others. */
export function agentOf(id: string): string | undefined {
  const colon = id.indexOf(':');
  return colon < 0 ? undefined : id.slice(0, colon);
}

export function stepOf(id: string): string | undefined {
  const colon = id.indexOf(':');
  return colon < 0 ? undefined : id.slice(colon + 1);
}
