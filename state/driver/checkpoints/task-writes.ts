/** A task's writes as they are stored. */

/** Its index within the task, its channel, its packed value. */
export type StoredWrite = [index: number, channel: string, value: unknown];

/** A row as a pending interrupt keeps it. An earlier version stored none of the paths. */
export type WritesRow = [ns: string, id: string, task: string, writes: string, path?: string];

/** JSON, in lines where a database has added to what the task had. */
export function parseWrites(text: string): StoredWrite[] {
  const [first = '[]', ...rest] = text.split('\n');
  return rest.reduce(
    (writes, line) => mergeWrites(writes, JSON.parse(line)),
    JSON.parse(first) as StoredWrite[],
  );
}

/** Of ordinary writes the first counts, because a task stores them once; special ones (negative index) replace. */
export function mergeWrites(old: StoredWrite[], added: StoredWrite[]): StoredWrite[] {
  const byIndex = new Map(old.map((write) => [write[0], write]));
  for (const write of added) if (write[0] < 0 || !byIndex.has(write[0])) byIndex.set(write[0], write);
  return [...byIndex.values()];
}

/** Ordinary writes have an index from 0; what a task asks, was told or failed with has one below. */
export function finished(writes: string): boolean {
  return parseWrites(writes).some(([index]) => index >= 0);
}
