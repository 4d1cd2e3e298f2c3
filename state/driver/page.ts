/** Builds pages from rows. */
import type { Page } from '../threads/archive.ts';

// Parsing a hundred documents of a megabyte would block the event loop for half a second.
export const MAX_PAGE_CHARACTERS = 4_000_000;

/**
 * A page of at most `limit` rows: fewer if they exceed MAX_PAGE_CHARACTERS together, but at least one. If there is a next
 * page, `rows` must have at least `limit` + 1 rows.
 */
export function pageOf<Row, Item>(
  rows: Iterable<Row>,
  limit: number,
  positionOf: (row: Row) => (string | number)[],
  toItem: (row: Row) => Item,
  charactersOf: (row: Row) => number = () => 0,
): Page<Item> {
  const items: Item[] = [];
  let last: Row | undefined;
  let characters = 0;
  for (const row of rows) {
    characters += charactersOf(row);
    const full = items.length === limit || characters > MAX_PAGE_CHARACTERS;
    if (full && last !== undefined) return { items, next: positionOf(last) };
    items.push(toItem(row));
    last = row;
  }
  return { items, next: null };
}
