/** A page of results with its headers, as LangGraph's clients expect it. */
import type { Context } from 'elysia';

export interface PageQuery {
  limit?: number;
  offset?: number;
}

const LIMIT = 10;

/** `total`: the number of results on all pages. */
export function pageHeaders(
  set: Context['set'],
  total: number,
  { limit = LIMIT, offset = 0 }: PageQuery,
): void {
  set.headers['x-pagination-total'] = String(total);
  if (offset + limit < total) set.headers['x-pagination-next'] = String(offset + limit);
}

/** The fields that were asked for; without a list, all of them. */
export function selected<Item extends object>(item: Item, fields: string[] | undefined): Partial<Item> {
  if (!fields) return item;
  return Object.fromEntries(Object.entries(item).filter(([name]) => fields.includes(name))) as Partial<Item>;
}
