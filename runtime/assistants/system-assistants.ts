/** The assistant that every graph has from the start: its id, which is derived from the graph's name. */

// The namespace in which LangGraph's servers derive the ids of graphs.
const NAMESPACE = '6ba7b821-9dad-11d1-80b4-00c04fd430c8';

export function assistantId(graph: string): string {
  return Bun.randomUUIDv5(graph, NAMESPACE);
}
