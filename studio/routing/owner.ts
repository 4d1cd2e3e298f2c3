/**
 * The caller whose data an operator sees. The query parameter `owner` is a caller, or `*` for all callers, and is kept from
 * page to page. The parameter `of` is the owner of the displayed thread or run.
 */
import { useLocation } from './router.ts';

export const ALL_CALLERS = '*';

export interface Owner {
  /** Undefined for your own data, which you can change. */
  owner: string | undefined;
  of: string | undefined;
}

export function useOwner(): Owner {
  return ownerIn(useLocation().query);
}

/** The key of a resource, with its owner if it depends on one. Lists don't depend on the thread or run shown beside them. */
export function scopeOf(key: string, { owner, of }: Owner): string {
  if (owner === undefined || key === 'session') return key;
  return /^(threads|runs|search|statistics):/.test(key) ? `${key}\0${owner}` : `${key}\0${owner}\0${of}`;
}

const OWNED = /\/api\/v1\/(threads|runs|messages|chat|search|statistics|store)(\/[^?]*)?(\?|$)/;

/** Adds the owner to requests that depend on one. The service rejects changes to another caller's data. */
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
