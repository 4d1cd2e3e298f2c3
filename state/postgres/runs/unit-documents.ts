/** The writes of a unit as arguments of `write_v1` and `end_v1`. */
import { mergedRows } from './merge-rows.ts';
import type { RunWrites, WriteUnit } from './writes.ts';

/** A unit as the argument of `write_v1`. */
export interface UnitDocument {
  thread: string;
  run_id: string | null;
  lease: number | null;
  rows: RunWrites;
  place?: StatementSequence;
}

/** The position of a statement among those that write for a lease, from 1. */
export interface StatementSequence {
  number: number;
  /** The number of the last confirmed statement before it. The ones in between may have been committed. */
  confirmed: number;
}

export interface QueuedRows {
  rows: RunWrites | (() => RunWrites);
}

/** The documents of a unit: as few as possible, none of which contains two rows with the same key. */
export function documentsOf({ threadKey, lease }: WriteUnit, entries: QueuedRows[]): UnitDocument[] {
  const rows = entries.map((entry) => (typeof entry.rows === 'function' ? entry.rows() : entry.rows));
  const owner = { thread: threadKey, run_id: lease?.runId ?? null, lease: lease?.number ?? null };
  return mergedRows(rows).map((merged) => ({ ...owner, rows: merged }));
}

// Servers must lock runs in the same order, to avoid deadlocks. A stable sort keeps the order of a unit's documents.
export function compare(a: UnitDocument, b: UnitDocument): number {
  if (a.thread !== b.thread) return a.thread < b.thread ? -1 : 1;
  const [one, other] = [a.run_id ?? '', b.run_id ?? ''];
  return one === other ? 0 : one < other ? -1 : 1;
}
