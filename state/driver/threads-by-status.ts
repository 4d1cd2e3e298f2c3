/** Searches threads in the order of their statuses: one status after the other, because no index contains the status. */
import type { ThreadConditions, ThreadSearch } from '../threads/archive.ts';

// In alphabetical order.
const STATUSES = ['busy', 'error', 'idle', 'interrupted'] as const;

export interface StatusSearch<Row> {
  search(search: ThreadSearch): Promise<Row[]>;
  /** Stops counting at `most`. */
  count(conditions: ThreadConditions, most: number): Promise<number>;
}

/** The threads of a status are in the order of their creation. */
export async function threadsByStatus<Row>(
  { search, count }: StatusSearch<Row>,
  wanted: ThreadSearch,
): Promise<Row[]> {
  const { status: only, descending, limit } = wanted;
  const found: Row[] = [];
  let { offset } = wanted;
  for (const status of descending ? STATUSES.toReversed() : STATUSES) {
    if (only !== undefined && only !== status) continue;
    const part: ThreadSearch = { ...wanted, status, limit: limit - found.length, offset };
    const rows = await search({ ...part, sortBy: 'created_at' });
    found.push(...rows);
    if (found.length === limit) break;
    offset = rows.length > 0 ? 0 : offset - (await count(part, offset));
  }
  return found;
}
