/** Selects the channels of a graph that are its state. */

/** LangGraph's internal channels start nodes; they are not part of the workflow's state. */
export function isPublic(channel: string): boolean {
  return !/^(?:branch:|join:|__)/.test(channel);
}
