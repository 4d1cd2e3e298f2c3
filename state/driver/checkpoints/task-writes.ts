/** Rows of task writes as a pending interrupt keeps them. */

/** An earlier version stored none of the paths. */
export type WritesRow = [ns: string, id: string, task: string, writes: string, path?: string];

/** Ordinary writes have an index from 0; what a task asks, was told or failed with has one below. */
export function finished(writes: string): boolean {
  return (JSON.parse(writes) as [index: number][]).some(([index]) => index >= 0);
}
