/**
 * Whose things an operator looks at: `owner` of the address names a caller, or `*` for all, and is of every page; `of` names
 * the owner of the one thread or run that is shown.
 */
import { useLocation } from './router.ts';

export const EVERYBODY = '*';

export interface Owner {
  /** Undefined: one's own things, which can be changed. */
  owner: string | undefined;
  of: string | undefined;
}

export function useOwner(): Owner {
  return ownerIn(useLocation().query);
}

/** Of resources that depend on it; lists don't depend on what is shown beside them. */
export function scopeOf(key: string, { owner, of }: Owner): string {
  if (owner === undefined || key === 'session') return key;
  return /^(threads|runs|search|statistics):/.test(key) ? `${key}\0${owner}` : `${key}\0${owner}\0${of}`;
}

const OWNED = /\/api\/v1\/(threads|runs|messages|chat|search|statistics|store)(\/[^?]*)?(\?|$)/;

/** Names the owner in requests for threads, runs and messages. What would change another's is refused by the service. */
export function withOwner(url: string): string {
  const { owner, of } = ownerIn(new URLSearchParams(location.search));
  const [, , rest] = OWNED.exec(url) ?? [];
  if (owner === undefined || !OWNED.test(url)) return url;
  const named = encodeURIComponent(rest === undefined ? owner : (of ?? owner));
  return `${url}${url.includes('?') ? '&' : '?'}owner=${named}`;
}

function ownerIn(query: URLSearchParams): Owner {
  return { owner: query.get('owner') ?? undefined, of: query.get('of') ?? undefined };
}
