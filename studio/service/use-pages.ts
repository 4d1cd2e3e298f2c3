/** A list that is loaded page by page. */
import { useState } from 'react';
import { useResource } from './resources.ts';

export interface ListPage<T> {
  items: T[];
  next: string | null;
}

export interface Pages<T> {
  /** Undefined until the first page is loaded. */
  items: T[] | undefined;
  error: Error | undefined;
  /** Loads the next page; undefined on the last page. */
  more: (() => void) | undefined;
}

/** Reloads all shown pages together, so that no item is missing or shown twice if it has moved from one page to another. */
export function usePages<T>(
  key: string,
  load: (cursor: string | undefined) => Promise<ListPage<T>>,
): Pages<T> {
  const [{ of, count }, setCount] = useState({ of: key, count: 1 });
  const wanted = of === key ? count : 1;
  const { data, error } = useResource(`${key}#${wanted}`, () => firstPages(load, wanted));
  const [last, setLast] = useState(data);
  if (data && data !== last) setLast(data);
  // Keep showing the current items while the next page loads.
  const shown = data ?? (of === key && wanted > 1 ? last : undefined);
  return {
    items: shown?.items,
    error,
    more: shown?.next ? () => setCount({ of: key, count: wanted + 1 }) : undefined,
  };
}

// A page from the service may be empty without being the last.
const MAX_PAGES = 10;

/** The next page that isn't empty; after ten empty pages, an empty page with the cursor of the next one. */
export async function filledPage<T>(
  load: (cursor: string | undefined) => Promise<ListPage<T>>,
  cursor: string | undefined,
): Promise<ListPage<T>> {
  let next: string | null = cursor ?? null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const read: ListPage<T> = await load(next ?? undefined);
    next = read.next;
    if (read.items.length > 0 || next === null) return read;
  }
  return { items: [], next };
}

async function firstPages<T>(
  load: (cursor: string | undefined) => Promise<ListPage<T>>,
  count: number,
): Promise<ListPage<T>> {
  const items: T[] = [];
  let next: string | null = null;
  for (let page = 0; page < count; page++) {
    const read: ListPage<T> = await load(next ?? undefined);
    items.push(...read.items);
    next = read.next;
    if (next === null) break;
  }
  return { items, next };
}
