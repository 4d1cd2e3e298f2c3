/** A unit's writes as `write_v1` and `end_v1` take them. */
import { mergedRows } from './merge-rows.ts';
import type { RunWrites, WriteUnit } from './writes.ts';

/** A unit as `write_v1` takes it. */
export interface UnitDocument {
  thread: string;
  run_id: string | null;
  lease: number | null;
  rows: RunWrites;
  place?: StatementSequence;
}

/** Of a statement among those that write for a lease, from 1. */
export interface StatementSequence {
  number: number;
  /** The last one before it that the database has confirmed. Those in between may have been committed, or not. */
  confirmed: number;
}

export interface QueuedRows {
  rows: RunWrites | (() => RunWrites);
}

/** Rows that one statement can take, as few as there are no two of the same key in. */
export function documentsOf({ threadKey, lease }: WriteUnit, entries: QueuedRows[]): UnitDocument[] {
  const rows = entries.map((entry) => (typeof entry.rows === 'function' ? entry.rows() : entry.rows));
  const place = { thread: threadKey, run_id: lease?.runId ?? null, lease: lease?.number ?? null };
  return mergedRows(rows).map((merged) => ({ ...place, rows: merged }));
}

// Two servers that write several runs lock them in the same order. The sort is stable: a unit's own stay in theirs.
export function compare(a: UnitDocument, b: UnitDocument): number {
  if (a.thread !== b.thread) return a.thread < b.thread ? -1 : 1;
  const [one = '', other = ''] = [a.run_id ?? '', b.run_id ?? ''];
  return one === other ? 0 : one < other ? -1 : 1;
}
