/** The studio's addresses: real ones, so that every view can be linked, reloaded and gone back to. */
import { useSyncExternalStore } from 'react';
import { BASE_PATH } from './base-path.ts';

const BASE = `${BASE_PATH}/studio`;

/** The path below /studio, with a leading slash and without one at its end; and the query. */
export interface StudioLocation {
  path: string;
  query: URLSearchParams;
}

const MOVED = 'skein:moved';

interface Held {
  href: string;
  mayLeave(): boolean;
}

/** Where something would be lost by leaving. */
let held: Held | undefined;

// Before all others: whoever shows the new place must not hear of one that is taken back.
addEventListener('popstate', (event) => {
  if (!held || held.mayLeave()) return;
  event.stopImmediatePropagation();
  history.pushState(null, '', held.href);
});

/** Until what it gives is called, whoever leaves this path is asked first. */
export function askBeforeLeaving(mayLeave: () => boolean): () => void {
  const unloading = (event: BeforeUnloadEvent) => event.preventDefault();
  held = { href: location.href, mayLeave };
  addEventListener('beforeunload', unloading);
  return () => {
    held = undefined;
    removeEventListener('beforeunload', unloading);
  };
}

/** `to` is an address of the studio as `address` makes it. */
export function navigate(to: string, { replace = false } = {}): void {
  if (to === location.pathname + location.search) return;
  const leaves = new URL(to, location.origin).pathname !== location.pathname;
  if (leaves && held && !held.mayLeave()) return;
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  dispatchEvent(new Event(MOVED));
}

/**
 * Path parts are encoded; a query is left out where it is empty. What an operator looks at stays the same from page to page
 * unless the query says otherwise: an empty `owner` leads back to one's own things.
 */
export function address(parts: string[], query: Record<string, string | undefined> = {}): string {
  const path = parts.map((part) => `/${encodeURIComponent(part)}`).join('');
  const entries = Object.entries({ ...ownerAt(parts), ...query });
  const given = entries.filter((entry): entry is [string, string] => Boolean(entry[1]));
  const search = new URLSearchParams(given).toString();
  return `${BASE}${path}${search && `?${search}`}`;
}

function ownerAt([section, thing]: string[]): Record<string, string | undefined> {
  const query = new URLSearchParams(location.search);
  const owner = query.get('owner') ?? undefined;
  const isThing = thing !== undefined && (section === 'threads' || section === 'runs');
  return { owner, of: isThing ? (query.get('of') ?? undefined) : undefined };
}

/** Changes the query of the page that is shown. */
export function changeQuery(changes: Record<string, string | undefined>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) query.delete(name);
    else query.set(name, value);
  }
  const search = query.toString();
  navigate(location.pathname + (search && `?${search}`), { replace: true });
}

export function useLocation(): StudioLocation {
  const href = useSyncExternalStore(subscribe, () => location.pathname + location.search);
  const url = new URL(href, location.origin);
  const path = url.pathname.slice(BASE.length).replace(/\/+$/, '') || '/';
  return { path, query: url.searchParams };
}

function subscribe(changed: () => void): () => void {
  addEventListener('popstate', changed);
  addEventListener(MOVED, changed);
  return () => {
    removeEventListener('popstate', changed);
    removeEventListener(MOVED, changed);
  };
}

/** The parameters of a path that fits, decoded; undefined for one that does not. */
export function matched(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = decoded(value);
    else if (part !== value) return undefined;
  }
  return params;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
