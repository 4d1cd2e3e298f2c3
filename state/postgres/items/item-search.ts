/** Searches items on PostgreSQL in time slices, so that a long search does not block other work. */
import {
  type Candidate,
  type FoundItems,
  floatsOf,
  type ItemRow,
  itemOf,
  pathOf,
} from '../../driver/item-rows.ts';
import type { Slice } from '../../driver/slices.ts';
import { matchesFilter } from '../../items/filter.ts';
import type { ItemQuery } from '../../items/items.ts';
import { bestProduct, byScore, type QueryVector } from '../../items/vectors.ts';
import type { Database } from '../database/database.ts';
import { parameters } from '../database/parameters.ts';

export interface ItemSearch extends ItemQuery {
  owner: string;
  now: number;
  slice: Slice;
}

interface Found extends Candidate {
  /** The size of its value in bytes. */
  size: number;
}

const MAX_ROWS = 256;
const MAX_BYTES = 1_000_000;

export const LIVES = '(expires_at IS NULL OR expires_at > $1)';

// Namespaces below `a` start with `a:`. The next character after the colon is the semicolon, so the range ends at `a;`. The
// index contains the first 200 characters of namespaces.
const WITHIN = `left(namespace, 200) BETWEEN left($5, 200) AND left($5 || ';', 200)
  AND (namespace = $5 OR (namespace > $5 || ':' AND namespace < $5 || ';'))`;

// An array instead of a join, which would be planned without statistics on new tables.
export const GIVEN = 'ANY ($2::text::bigint[])';

/** With `near`, compares the vectors of all items, but only reads the values of the best ones. */
export async function searchItems(database: Database, search: ItemSearch): Promise<FoundItems> {
  const { filter, near, offset, limit, now, slice } = search;
  const all = await numbersOf(database, search);
  const candidates = near ? await ranked(database, all, near, slice) : all;
  const found: FoundItems = { rows: [], items: [] };
  let passed = 0;
  let at = near && !filter ? offset : 0;
  while (at < candidates.length && found.items.length < limit) {
    const part = partOf(candidates, at, filter ? MAX_ROWS : limit - found.items.length);
    at += part.length;
    const rows = await rowsOf(database, part, now);
    for (const { number, score } of part) {
      if (found.items.length >= limit) break;
      if (slice.isOver()) await slice.next();
      const row = rows.get(number);
      const item = row && itemOf(row);
      if (!item || (filter && (!matchesFilter(item.value, filter) || passed++ < offset))) continue;
      found.rows.push(row);
      found.items.push(score === undefined ? item : { ...item, score });
    }
  }
  return found;
}

/** The items to search, in order of creation. */
function numbersOf(
  database: Database,
  { owner, prefix, filter, near, limit, offset, now }: ItemSearch,
): Promise<Found[]> {
  const isPage = !filter && !near;
  const most = isPage && Number.isSafeInteger(Math.ceil(limit)) ? Math.ceil(limit) : null;
  const given = parameters(now, owner, most, isPage ? Math.floor(offset) : 0);
  const within = prefix.length > 0 ? `AND ${WITHIN}` : '';
  if (within) given.add(pathOf(prefix));
  return database.all<Found>(
    `SELECT seq AS number, octet_length(value) AS size FROM skein.items WHERE owner = $2 ${within} AND ${LIVES}
     ORDER BY seq LIMIT $3::bigint OFFSET $4::bigint`,
    ...given.values,
  );
}

async function ranked(database: Database, all: Found[], near: QueryVector, slice: Slice): Promise<Found[]> {
  const candidates: Found[] = [];
  for (let at = 0; at < all.length; at += MAX_ROWS) {
    const part = all.slice(at, at + MAX_ROWS);
    const rows = await database.all<{ item: number; data: Uint8Array }>(
      `SELECT item, data FROM skein.item_vectors WHERE embedder = $1 AND item = ${GIVEN} AND dims = $3`,
      near.embedder,
      arrayOf(part.map(({ number }) => number)),
      near.vector.length,
    );
    const scores = new Map(rows.map(({ item, data }) => [item, bestProduct(floatsOf(data), near.vector)]));
    for (const one of part) candidates.push({ ...one, score: scores.get(one.number) });
    if (slice.isOver()) await slice.next();
  }
  return candidates.sort(byScore);
}

/** The candidates from `at` on that are read together; at least one. */
function partOf(candidates: Found[], at: number, most: number): Found[] {
  let [end, bytes] = [at, 0];
  while (end < candidates.length && end - at < Math.min(most, MAX_ROWS)) {
    bytes += candidates[end]?.size ?? 0;
    if (bytes > MAX_BYTES && end > at) break;
    end++;
  }
  return candidates.slice(at, end);
}

async function rowsOf(database: Database, part: Found[], now: number): Promise<Map<number, ItemRow>> {
  const rows = await database.all<ItemRow>(
    `SELECT seq, namespace, key, value, created_at, updated_at, ttl, expires_at FROM skein.items WHERE seq = ${GIVEN} AND ${LIVES}`,
    now,
    arrayOf(part.map(({ number }) => number)),
  );
  return new Map(rows.map((row) => [row.seq, row]));
}

/** The text form of an array of numbers in PostgreSQL. */
export function arrayOf(numbers: number[]): string {
  return `{${numbers.join()}}`;
}
