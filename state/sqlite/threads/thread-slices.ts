/** Divides the threads of a caller into slices, so that reading all of them doesn't block the event loop. */
import type { Database, SQLQueryBindings } from 'bun:sqlite';
import { slices } from '../../driver/slices.ts';
import type { ThreadSearch } from '../../threads/archive.ts';
import { type Condition, textOf, valuesOf } from './run-conditions.ts';

export interface SliceOrder {
  owner: string;
  sortBy: Exclude<ThreadSearch['sortBy'], 'status'>;
  descending: boolean;
}

interface Position {
  at: string | number;
  key: number;
}

const beginSlices = slices();

// About 3 ms, with metadata of a few hundred bytes.
const THREADS = 5_000;

/** The conditions of each slice, in order. Each column has an index that starts with the owner. */
export async function* threadSlices(
  db: Database,
  { owner, sortBy, descending }: SliceOrder,
): AsyncGenerator<Condition[]> {
  const column = `t.${sortBy}`;
  const direction = descending ? 'DESC' : 'ASC';
  const [after, before] = descending ? (['<', '>'] as const) : (['>', '<'] as const);
  const slice = beginSlices();
  let start: Position | undefined;
  for (;;) {
    const from = start ? [beyond(column, after, start)] : [];
    const given = [ownedBy(owner, sortBy), ...from];
    const last: Position | null = db
      .query<Position, SQLQueryBindings[]>(
        `SELECT ${column} AS at, t.key FROM threads AS t WHERE ${textOf(given)}
         ORDER BY ${column} ${direction}, t.key ${direction} LIMIT 1 OFFSET ${THREADS - 1}`,
      )
      .get(...valuesOf(given));
    yield last ? [...from, beyond(column, before, last, '=')] : from;
    if (!last) return;
    start = last;
    if (slice.isOver()) await slice.next();
  }
}

/** The first comparison limits the range of the index. */
function beyond(column: string, sign: '<' | '>', { at, key }: Position, orEqual: '=' | '' = ''): Condition {
  return {
    sql: `${column} ${sign}= ? AND (${column} ${sign} ? OR t.key ${sign}${orEqual} ?)`,
    values: [at, at, key],
  };
}

/**
 * The threads that a caller can list. The planner would prefer the index by creation to the indexes of other orders and of
 * rare statuses, and sort all threads; + excludes it.
 */
export function ownedBy(owner: string, sortBy: ThreadSearch['sortBy']): Condition {
  return { sql: `t.owner = ? AND ${sortBy === 'created_at' ? '' : '+'}t.temporary = 0`, values: [owner] };
}
