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
import { type Parameters, parameters } from '../database/parameters.ts';

export interface ItemSearch extends ItemQuery {
  owner: string;
  now: number;
  slice: Slice;
}

interface Found extends Candidate {
  /** The size of its value in bytes. */
  size: number;
}

const MAX_ROWS = 1_000;
const MAX_VECTORS = 256;
const MAX_BYTES = 1_000_000;
/** The number of items that a search with a filter reads first, because most searches find enough items among them. */
const FIRST_ITEMS = 1_000;
// Parsing the numbers of this many items takes about a millisecond.
const ITEMS_PER_ROW = 5_000;

export const LIVES = '(expires_at IS NULL OR expires_at > $1)';

// Namespaces below `a` start with `a:`. The next character after the colon is the semicolon, so the range ends at `a;`. The
// index contains the first 200 characters of namespaces.
const within = (path: string) =>
  `left(namespace, 200) BETWEEN left(${path}, 200) AND left(${path} || ';', 200)
  AND (namespace = ${path} OR (namespace > ${path} || ':' AND namespace < ${path} || ';'))`;

// An array instead of a join, which would be planned without statistics on new tables.
export const GIVEN = 'ANY ($2::text::bigint[])';

/** With `near`, compares the vectors of all items, but only reads the values of the best ones. */
export async function searchItems(database: Database, search: ItemSearch): Promise<FoundItems> {
  const { filter, near, offset, limit, now, slice } = search;
  const found: FoundItems = { rows: [], items: [] };
  let passed = 0;
  for await (const candidates of candidatesOf(database, search)) {
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
    if (found.items.length >= limit) break;
  }
  return found;
}

/** The items to search in their order: those with the best scores first, or in order of creation. */
async function* candidatesOf(database: Database, search: ItemSearch): AsyncGenerator<Found[]> {
  const { filter, near, limit, offset, slice } = search;
  const { where, given } = matching(search);
  const first = (part: string) =>
    database.all<Found>(
      `SELECT seq AS number, octet_length(value) AS size FROM skein.items WHERE ${where} ORDER BY seq ${part}`,
      ...given.values,
    );
  if (near) {
    const all: Found[] = [];
    for await (const items of itemsAfter(database, search, 0)) all.push(...items);
    yield await ranked(database, all, near, slice);
  } else if (filter) {
    // Not a parameter: PostgreSQL would plan it together with pages of any size and offset, and read all items.
    const items = await first(`LIMIT ${FIRST_ITEMS}`);
    yield items;
    const last = items.at(-1);
    if (last && items.length === FIRST_ITEMS) yield* itemsAfter(database, search, last.number);
  } else {
    const most = Number.isSafeInteger(Math.ceil(limit)) ? Math.ceil(limit) : null;
    yield await first(`LIMIT ${given.add(most)}::bigint OFFSET ${given.add(Math.floor(offset))}::bigint`);
  }
}

/** One statement with few rows, because creating hundreds of thousands of rows would block the event loop. */
async function* itemsAfter(database: Database, search: ItemSearch, last: number): AsyncGenerator<Found[]> {
  const { where, given } = matching(search);
  const rows = await database.all<{ numbers: string }>(
    `SELECT '[' || string_agg('[' || seq || ',' || size || ']', ',' ORDER BY seq) || ']' AS numbers
     FROM (SELECT seq, octet_length(value) AS size, row_number() OVER (ORDER BY seq) AS place
       FROM skein.items WHERE ${where} AND seq > ${given.add(last)}) AS numbered
     GROUP BY place / ${ITEMS_PER_ROW} ORDER BY place / ${ITEMS_PER_ROW}`,
    ...given.values,
  );
  for (const { numbers } of rows) {
    if (search.slice.isOver()) await search.slice.next();
    const pairs = JSON.parse(numbers) as [number, number][];
    yield pairs.map(([number, size]) => ({ number, size }));
  }
}

function matching({ owner, prefix, now }: ItemSearch): { where: string; given: Parameters } {
  const given = parameters(now, owner);
  const below = prefix.length > 0 ? [within(given.add(pathOf(prefix)))] : [];
  return { where: ['owner = $2', ...below, LIVES].join(' AND '), given };
}

async function ranked(database: Database, all: Found[], near: QueryVector, slice: Slice): Promise<Found[]> {
  const candidates: Found[] = [];
  for (let at = 0; at < all.length; at += MAX_VECTORS) {
    const part = all.slice(at, at + MAX_VECTORS);
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
