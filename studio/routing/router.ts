/** The studio's router. Every view has an address, so you can link to it, reload it and go back to it. */
import { useSyncExternalStore } from 'react';
import { BASE_PATH } from './base-path.ts';

const BASE = `${BASE_PATH}/studio`;

/** The path below /studio, with a leading and without a trailing slash, and the query. */
export interface StudioLocation {
  path: string;
  query: URLSearchParams;
}

const NAVIGATED = 'skein:navigated';

interface Blocker {
  href: string;
  mayLeave(): boolean;
}

/** Set while leaving the page would lose changes. */
let blocker: Blocker | undefined;

// Registered before all other listeners: a navigation that is undone must not reach the components.
addEventListener('popstate', (event) => {
  if (!blocker || blocker.mayLeave()) return;
  event.stopImmediatePropagation();
  history.pushState(null, '', blocker.href);
});

/** Asks for confirmation before navigation leaves this path. Returns a function that stops this. */
export function blockNavigation(mayLeave: () => boolean): () => void {
  const unloading = (event: BeforeUnloadEvent) => event.preventDefault();
  blocker = { href: location.href, mayLeave };
  addEventListener('beforeunload', unloading);
  return () => {
    blocker = undefined;
    removeEventListener('beforeunload', unloading);
  };
}

/** `to` is an address from `address`. */
export function navigate(to: string, { replace = false } = {}): void {
  if (to === location.pathname + location.search) return;
  const leaves = new URL(to, location.origin).pathname !== location.pathname;
  if (leaves && blocker && !blocker.mayLeave()) return;
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  dispatchEvent(new Event(NAVIGATED));
}

/**
 * An address of the studio. Encodes the parts of the path and omits empty query parameters. Keeps the owner that an operator
 * has selected, unless the query has `owner`; an empty `owner` returns to your own data.
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

/** Changes query parameters of the current page; undefined removes one. */
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
  addEventListener(NAVIGATED, changed);
  return () => {
    removeEventListener('popstate', changed);
    removeEventListener(NAVIGATED, changed);
  };
}

/** The decoded parameters of a path that matches the pattern; otherwise undefined. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const expected = pattern.split('/');
  const given = path.split('/');
  if (expected.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
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
