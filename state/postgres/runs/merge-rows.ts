/** Merges the rows of several writes, so that each table needs one INSERT. */
import type { RunWrites } from './writes.ts';

/**
 * Merges writes, in order, to as few as possible. An INSERT ... ON CONFLICT cannot change a row twice, so a second write to
 * a row starts the next group. Of several `usage`, the last one counts.
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
