/** Names of workflows as people may write them. */

/** The public form of a name, which may come with underscores and in any case. */
export function workflowName(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}
