/** Rows of several writes together, so that they are one insert for each table. */
import type { RunWrites } from './writes.ts';

/**
 * As few as possible, in order: an insert cannot meet the same row twice, so a second write to a row begins the next one.
 * What is counted (`usage`) is taken from the last.
 */
export function mergedRows(all: RunWrites[]): RunWrites[] {
  const merged: RunWrites[] = [];
  let keys = new Set<string>();
  for (const rows of all) {
    const own = keysOf(rows);
    const last = merged.at(-1);
    if (last && own.every((key) => !keys.has(key))) join(last, rows);
    else {
      merged.push(join({}, rows));
      keys = new Set();
    }
    for (const key of own) keys.add(key);
  }
  return merged;
}

function join(into: RunWrites, rows: RunWrites): RunWrites {
  for (const [table, added] of Object.entries(rows) as [keyof RunWrites, unknown][]) {
    const before = into[table];
    Object.assign(into, { [table]: Array.isArray(before) ? [...before, ...(added as unknown[])] : added });
  }
  return into;
}

function keysOf({ checkpoints, values, elements, writes, events }: RunWrites): string[] {
  return [
    ...(checkpoints ?? []).map(({ ns, id }) => `c ${ns} ${id}`),
    ...(values ?? []).map(({ ns, channel, version }) => `v ${ns} ${channel} ${version}`),
    ...(elements ?? []).map(({ channel, seq }) => `e ${channel} ${seq}`),
    ...(writes ?? []).map(({ ns, id, task }) => `w ${ns} ${id} ${task}`),
    ...(events ?? []).map(({ first }) => `l ${first}`),
  ];
}
