/** Pages of MCP's lists: an opaque cursor names the last item of the page before. */
import { SkeinError } from '../../state/errors.ts';

const PAGE = 100;

export interface Page<T> {
  items: T[];
  nextCursor: string | undefined;
}

/** Sorted by name. Throws INVALID_REQUEST for a cursor that no page gave. */
export function pageAfter<T>(
  all: readonly T[],
  cursor: string | undefined,
  nameOf: (item: T) => string,
): Page<T> {
  const after = cursor === undefined ? undefined : nameIn(cursor);
  const left = all.filter((item) => after === undefined || nameOf(item) > after);
  const items = left.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)).slice(0, PAGE);
  const last = left.length > PAGE ? items.at(-1) : undefined;
  return { items, nextCursor: last && Buffer.from(nameOf(last)).toString('base64url') };
}

function nameIn(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString();
  if (Buffer.from(name).toString('base64url') === cursor) return name;
  throw new SkeinError('INVALID_REQUEST', { detail: 'cursor: expected the nextCursor of an earlier page' });
}
