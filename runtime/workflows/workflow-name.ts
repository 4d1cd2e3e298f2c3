/** Normalizes the names of workflows. */

/** The public form of a name: lower case, with hyphens instead of underscores. */
export function workflowName(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}
