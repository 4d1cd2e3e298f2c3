/** A page of what was found, with its headers, as LangGraph's clients ask for it. */
import type { Context } from 'elysia';

export interface PageQuery {
  limit?: number;
  offset?: number;
  /** The fields to give; default: all. */
  select?: string[];
}

const LIMIT = 10;

export function paged<Item extends object>(
  all: Item[],
  { limit = LIMIT, offset = 0, select }: PageQuery,
  set: Context['set'],
): Partial<Item>[] {
  set.headers['x-pagination-total'] = String(all.length);
  if (offset + limit < all.length) set.headers['x-pagination-next'] = String(offset + limit);
  const page = all.slice(offset, offset + limit);
  return select ? page.map((item) => selected(item, select)) : page;
}

function selected<Item extends object>(item: Item, fields: string[]): Partial<Item> {
  return Object.fromEntries(Object.entries(item).filter(([name]) => fields.includes(name))) as Partial<Item>;
}
