/** The stored form of a task's writes. */

/** The index within the task, the channel and the packed value. */
export type StoredWrite = [index: number, channel: string, value: unknown];

/** A row of writes in a pending interrupt. An earlier version stored no paths. */
export type WritesRow = [ns: string, id: string, task: string, writes: string, path?: string];

/** One JSON list per line: the driver appends a line if the task already had writes. */
export function parseWrites(text: string): StoredWrite[] {
  return text
    .split('\n')
    .map((line): StoredWrite[] => JSON.parse(line))
    .reduce(mergeWrites);
}

/**
 * Keeps the first ordinary write of each index, because a task stores them once. Special writes (index < 0) replace earlier
 * ones.
 */
export function mergeWrites(old: StoredWrite[], added: StoredWrite[]): StoredWrite[] {
  const byIndex = new Map(old.map((write) => [write[0], write]));
  for (const write of added) if (write[0] < 0 || !byIndex.has(write[0])) byIndex.set(write[0], write);
  return [...byIndex.values()];
}

/** Whether the task has ordinary writes (index >= 0). Interrupts, answers and errors have a negative index. */
export function finished(writes: string): boolean {
  return parseWrites(writes).some(([index]) => index >= 0);
}
