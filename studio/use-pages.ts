/** A list that is read page by page. */
import { useState } from 'react';
import { useResource } from './resources.ts';

export interface ListPage<T> {
  items: T[];
  next: string | null;
}

export interface Pages<T> {
  /** Undefined before the first page. */
  items: T[] | undefined;
  error: Error | undefined;
  /** Reads another page; undefined where there is none. */
  more: (() => void) | undefined;
}

/** Whenever the key is read anew, so are all pages that were shown: what moved between them is neither lost nor doubled. */
export function usePages<T>(
  key: string,
  load: (cursor: string | undefined) => Promise<ListPage<T>>,
): Pages<T> {
  const [{ of, count }, setCount] = useState({ of: key, count: 1 });
  const wanted = of === key ? count : 1;
  const { data, error } = useResource(`${key}#${wanted}`, () => firstPages(load, wanted));
  const [last, setLast] = useState(data);
  if (data && data !== last) setLast(data);
  // While a further page is read, what is there stays.
  const shown = data ?? (of === key && wanted > 1 ? last : undefined);
  return {
    items: shown?.items,
    error,
    more: shown?.next ? () => setCount({ of: key, count: wanted + 1 }) : undefined,
  };
}

// A page of the service may be empty and not the last.
const MOST_EMPTY = 10;

/** The next page that has something; an empty one after ten without. */
export async function filledPage<T>(
  load: (cursor: string | undefined) => Promise<ListPage<T>>,
  cursor: string | undefined,
): Promise<ListPage<T>> {
  let next: string | null = cursor ?? null;
  for (let page = 0; page < MOST_EMPTY; page++) {
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
