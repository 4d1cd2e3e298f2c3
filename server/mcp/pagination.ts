/** Pagination of MCP lists. The opaque cursor is the encoded name of the last item of the previous page. */
import { SkeinError } from '../../state/errors.ts';

const PAGE_SIZE = 100;

export interface Page<T> {
  items: T[];
  nextCursor: string | undefined;
}

/** Returns a page, sorted by name. Throws INVALID_REQUEST if the cursor is invalid. */
export function pageAfter<T>(
  all: readonly T[],
  cursor: string | undefined,
  nameOf: (item: T) => string,
): Page<T> {
  const after = cursor === undefined ? undefined : parseCursor(cursor);
  const remaining = all.filter((item) => after === undefined || nameOf(item) > after);
  const items = remaining.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)).slice(0, PAGE_SIZE);
  const last = remaining.length > PAGE_SIZE ? items.at(-1) : undefined;
  return { items, nextCursor: last && Buffer.from(nameOf(last)).toString('base64url') };
}

function parseCursor(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString();
  if (Buffer.from(name).toString('base64url') === cursor) return name;
  throw new SkeinError('INVALID_REQUEST', { detail: 'cursor: expected the nextCursor of an earlier page' });
}
