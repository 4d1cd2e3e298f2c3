/** Pagination of lists: `limit` and an opaque `cursor` in the query, `next_cursor` in the response. */
import { type TSchema, Type } from '@sinclair/typebox';

type Kinds = readonly ('number' | 'string')[];
type Position<K extends Kinds> = { -readonly [I in keyof K]: K[I] extends 'number' ? number : string };

// The parts of a cursor after the name of its list. The first letter is the type. Strings are in base64url; integers have at
// most 15 digits, which a double stores exactly.
const PATTERNS = { string: 's(?:[A-Za-z0-9_-]{4})*[A-Za-z0-9_-]{2,4}', number: 'n[0-9]{1,15}' };

// Query parameters are strings. A pattern, unlike a conversion to a number, yields an error that names the parameter.
export const PageLimit = Type.String({
  pattern: '^(100|[1-9][0-9]?)$',
  description: 'Maximum number of items, 1 to 100 (default: 20)',
  error: 'expected an integer from 1 to 100',
});

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

/**
 * The pagination of a list whose sort keys have these types. Its cursors begin with `list`, so that cursors of other lists are
 * rejected.
 */
export function paging<const K extends Kinds>(list: string, kinds: K) {
  return {
    /** The schema of the query. */
    query: {
      limit: Type.Optional(PageLimit),
      cursor: Type.Optional(
        Type.String({
          pattern: `^${[list, ...kinds.map((kind) => PATTERNS[kind])].join('\\.')}$`,
          description: 'The `next_cursor` of the previous page',
          error: 'expected the next_cursor of the previous page',
        }),
      ),
    },
    /** Decodes a query that is valid under `query`. `after` is undefined for the first page. */
    request({ limit, cursor }: { limit?: string; cursor?: string }): PageRequest<K> {
      const after = cursor === undefined ? undefined : positionIn(cursor, kinds);
      return { limit: limit === undefined ? DEFAULT_LIMIT : Number(limit), after };
    },
    /** Encodes the sort keys of a page's last item. Returns null for the last page. */
    cursorOf(next: (string | number)[] | null): string | null {
      return next && [list, ...next.map(encoded)].join('.');
    },
  };
}

interface PageRequest<K extends Kinds> {
  limit: number;
  after: Position<K> | undefined;
}

function positionIn<K extends Kinds>(cursor: string, kinds: K): Position<K> {
  const [, ...parts] = cursor.split('.');
  const position = kinds.map((kind, index) => {
    const part = (parts[index] ?? '').slice(1);
    return kind === 'number' ? Number(part) : Buffer.from(part, 'base64url').toString();
  });
  return position as Position<K>;
}

function encoded(part: string | number): string {
  return typeof part === 'number' ? `n${part}` : `s${Buffer.from(part).toString('base64url')}`;
}
