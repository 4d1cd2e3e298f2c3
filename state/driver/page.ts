/** A page of rows as what the interfaces of `state/` give. */
import type { Page } from '../archive.ts';

// A hundred documents of a megabyte would take the event loop for half a second.
export const MOST_CHARACTERS = 4_000_000;

/**
 * At most `limit` of the rows, fewer where they are long, and one at least. `rows` has one more than `limit` where there
 * is a next page.
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
    const full = items.length === limit || characters > MOST_CHARACTERS;
    if (full && last !== undefined) return { items, next: positionOf(last) };
    items.push(toItem(row));
    last = row;
  }
  return { items, next: null };
}
