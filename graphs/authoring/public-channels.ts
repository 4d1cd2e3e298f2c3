/** Which channels of a graph are its state. */

/** LangGraph's own channels start nodes; they are no state of the workflow. */
export function isPublic(channel: string): boolean {
  return !/^(?:branch:|join:|__)/.test(channel);
}
