/** Finds inconsistencies in a snapshot of a state. Changes nothing. */
import { keyOf } from '../../driver/rows.ts';
import type { Reading, Row } from '../store.ts';
import { TABLES } from '../tables.ts';
import { checkThread } from './checkpoints.ts';
import { groups } from './groups.ts';
import { checkLogs, checkReferences } from './references.ts';

export type Counts = Record<string, number>;

/** Calls `found` with a description of each inconsistency. Returns the number of rows of each table. */
export async function checkState(reading: Reading, found: (problem: string) => void): Promise<Counts> {
  await checkThreads(reading, found);
  await checkReferences(reading, found);
  await checkLogs(reading, found);
  return countsOf(reading);
}

async function checkThreads(reading: Reading, found: (problem: string) => void): Promise<void> {
  const grouped = (table: string, columns: string) =>
    groups(reading, {
      ...{ table, columns },
      orphan: (thread, rows) =>
        found(`${table}: ${rows} rows belong to the thread number ${Number(thread)}, which does not exist`),
    });
  const version = reading.driver === 'sqlite' ? 'CAST(version AS TEXT) AS version' : 'version';
  const checkpoints = grouped('checkpoints', 'ns, id, versions, deltas');
  const values = grouped('checkpoint_values', `ns, channel, ${version}, elements`);
  const elements = grouped('checkpoint_elements', 'channel, seq');
  const others = [grouped('checkpoint_writes', 'id'), grouped('checkpoint_deltas', 'id')];
  const threads = reading.select({
    columns: 'key, owner, thread_id, head',
    from: reading.table('threads'),
    order: 'key',
  });
  for await (const rows of threads)
    for (const thread of rows) {
      const key = keyOf(Number(thread.key));
      const parts = {
        checkpoints: await checkpoints.of(key),
        values: await values.of(key),
        elements: await elements.of(key),
      };
      for (const other of others) await other.of(key);
      // A thread without an owner is being deleted.
      if (thread.owner === '') continue;
      for (const problem of checkThread({ head: textOf(thread, 'head'), ...parts }))
        found(`thread ${thread.thread_id} of ${thread.owner}: ${problem}`);
    }
  for (const each of [checkpoints, values, elements, ...others]) await each.rest();
}

function textOf(row: Row, column: string): string | null {
  const value = row[column];
  return typeof value === 'string' ? value : null;
}

async function countsOf(reading: Reading): Promise<Counts> {
  const counts: Counts = {};
  for (const { name } of TABLES) {
    const slices = reading.select({
      columns: 'count(*) AS rows',
      from: reading.table(name),
      order: '1',
    });
    for await (const [row] of slices) counts[name] = Number(row?.rows ?? 0);
  }
  return counts;
}
