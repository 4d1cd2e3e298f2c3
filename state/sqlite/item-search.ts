/** Searches items on SQLite in time slices, so that a long search does not block other work. */
import { type Candidate, type FoundItems, floatsOf, itemOf } from '../driver/item-rows.ts';
import type { Slice } from '../driver/slices.ts';
import { matchesFilter } from '../items/filter.ts';
import type { ItemQuery } from '../items/items.ts';
import { bestProduct, byScore, type QueryVector } from '../items/vectors.ts';
import type { ItemStatements } from './item-statements.ts';

export interface ItemSearch extends ItemQuery {
  /** The `seq` of the items to search, in order of creation. */
  numbers: number[];
  now: number;
  slice: Slice;
}

/** With `near`, compares the vectors of all items, but only reads the values of the best ones. */
export async function searchItems(sql: ItemStatements, search: ItemSearch): Promise<FoundItems> {
  const { numbers, filter, near, offset, limit, now, slice } = search;
  const candidates: Candidate[] = near
    ? await ranked(sql, numbers, near, slice)
    : numbers.map((number) => ({ number }));
  const found: FoundItems = { rows: [], items: [] };
  let passed = filter ? 0 : offset;
  for (const { number, score } of candidates.slice(passed)) {
    if (found.items.length >= limit) break;
    if (slice.isOver()) await slice.next();
    const row = sql.row.get(number, now);
    const item = row && itemOf(row);
    if (!item || (filter && !matchesFilter(item.value, filter)) || passed++ < offset) continue;
    found.rows.push(row);
    found.items.push(score === undefined ? item : { ...item, score });
  }
  return found;
}

async function ranked(
  sql: ItemStatements,
  numbers: number[],
  near: QueryVector,
  slice: Slice,
): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for (const number of numbers) {
    if (slice.isOver()) await slice.next();
    const row = sql.vectors.get(number, near.embedder, near.vector.length);
    candidates.push({ number, score: row ? bestProduct(floatsOf(row.data), near.vector) : undefined });
  }
  if (slice.isOver()) await slice.next();
  return candidates.sort(byScore);
}
