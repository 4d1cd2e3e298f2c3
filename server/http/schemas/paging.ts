/** Pagination of lists: `limit` and an opaque `cursor` in the query, `next_cursor` in the response. */
import { type TSchema, Type } from '@sinclair/typebox';

type Kinds = readonly ('number' | 'string')[];
type Position<K extends Kinds> = { -readonly [I in keyof K]: K[I] extends 'number' ? number : string };

// The parts of a cursor. The first letter is the type, so a list rejects cursors of lists with other types. Strings are in
// base64url; integers have at most 15 digits, which a double stores exactly.
const PATTERNS = { string: 's(?:[A-Za-z0-9_-]{4})*[A-Za-z0-9_-]{2,4}', number: 'n[0-9]{1,15}' };

// Query parameters are strings. A pattern, unlike a conversion to a number, yields an error that names the parameter.
export const PageLimit = Type.String({
  pattern: '^(100|[1-9][0-9]?)$',
  description: 'Maximum number of items, 1 to 100 (default: 20)',
  error: 'expected an integer from 1 to 100',
});

/** The query schema of a list whose sort keys have these types. */
export function pageQuery(kinds: Kinds) {
  return {
    limit: Type.Optional(PageLimit),
    cursor: Type.Optional(
      Type.String({
        pattern: `^${kinds.map((kind) => PATTERNS[kind]).join('\\.')}$`,
        description: 'The `next_cursor` of the previous page',
        error: 'expected the next_cursor of the previous page',
      }),
    ),
  };
}

export const NextCursor = Type.Union([Type.String(), Type.Null()], {
  description: 'The `cursor` of the next page. Null on the last page',
});

/** The response schema of a list whose items are in the field `name`. */
export function pageOf<Name extends string, Item extends TSchema>(name: Name, item: Item, title: string) {
  const items = { [name]: Type.Array(item, { description: 'The items of this page' }) } as Record<
    Name,
    ReturnType<typeof Type.Array<Item>>
  >;
  return Type.Object({ ...items, next_cursor: NextCursor }, { title });
}

const DEFAULT_LIMIT = 20;

/** Decodes a query that is valid under `pageQuery(kinds)`. `after` is undefined for the first page. */
export function pageRequest<const K extends Kinds>(
  { limit, cursor }: { limit?: string; cursor?: string },
  kinds: K,
): { limit: number; after: Position<K> | undefined } {
  const after = cursor === undefined ? undefined : positionIn(cursor, kinds);
  return { limit: limit === undefined ? DEFAULT_LIMIT : Number(limit), after };
}

/** Encodes the sort keys of a page's last item. Returns null for the last page. */
export function cursorOf(next: (string | number)[] | null): string | null {
  if (!next) return null;
  return next.map((part) => (typeof part === 'number' ? `n${part}` : `s${base64url(part)}`)).join('.');
}

function positionIn<K extends Kinds>(cursor: string, kinds: K): Position<K> {
  const parts = cursor.split('.');
  const position = kinds.map((kind, index) => {
    const part = (parts[index] ?? '').slice(1);
    return kind === 'number' ? Number(part) : Buffer.from(part, 'base64url').toString();
  });
  return position as Position<K>;
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
