/** Searches items on SQLite: a few rows at a time, so that a long search lets others have their turn. */
import type { Item, SearchItem } from '@langchain/langgraph-checkpoint';
import { matchesFilter } from '../items/filter.ts';
import type { ItemQuery } from '../items/items.ts';
import { bestProduct, byScore, type Nearness } from '../items/vectors.ts';
import { decode } from '../serializer.ts';
import type { ItemRow, ItemStatements } from './item-statements.ts';
import type { Slice } from './slices.ts';

interface Candidate {
  number: number;
  score?: number | undefined;
}

export interface FoundItems {
  rows: ItemRow[];
  items: SearchItem[];
}

export interface ItemSearch extends ItemQuery {
  /** Of the items to search, in the order of their making. */
  numbers: number[];
  now: number;
  slice: Slice;
}

/** With `near` the vectors of all items are compared, and the values of few read. */
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
  near: Nearness,
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

function floatsOf({ buffer, byteOffset, byteLength }: Uint8Array): Float32Array {
  return new Float32Array(buffer, byteOffset, byteLength / Float32Array.BYTES_PER_ELEMENT);
}

export function itemOf({ namespace, key, value, created_at, updated_at }: ItemRow): Item {
  return {
    namespace: namespace.split(':'),
    key,
    value: decode(value) as Item['value'],
    createdAt: new Date(created_at),
    updatedAt: new Date(updated_at),
  };
}
