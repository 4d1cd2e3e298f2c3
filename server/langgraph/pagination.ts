/** Pagination of LangGraph's API: a page of results and its headers. */
import type { Context } from 'elysia';

export interface PageQuery {
  limit?: number;
  offset?: number;
}

const DEFAULT_LIMIT = 10;

/** Sets `X-Pagination-Total`, and `X-Pagination-Next` if there is another page. `total`: the results on all pages. */
export function pageHeaders(
  set: Context['set'],
  total: number,
  { limit = DEFAULT_LIMIT, offset = 0 }: PageQuery,
): void {
  set.headers['x-pagination-total'] = String(total);
  if (offset + limit < total) set.headers['x-pagination-next'] = String(offset + limit);
}

/** Returns only the listed fields; all fields if `fields` is undefined. */
export function selectFields<Item extends object>(item: Item, fields: string[] | undefined): Partial<Item> {
  if (!fields) return item;
  return Object.fromEntries(Object.entries(item).filter(([name]) => fields.includes(name))) as Partial<Item>;
}

/** A number as JSON: Elysia sends numbers as plain text. */
export function countResponse(total: number): number {
  return Response.json(total) as never;
}
