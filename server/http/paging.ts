/** Pages of lists: `limit` and an opaque `cursor` in the query, `next_cursor` in the answer. */
import { type TSchema, Type } from '@sinclair/typebox';

type Kinds = readonly ('number' | 'string')[];
type Position<K extends Kinds> = { -readonly [I in keyof K]: K[I] extends 'number' ? number : string };

// The first letter keeps the cursors of one kind of list from another. Base64url, and integers that a double holds exactly.
const PATTERNS = { string: 's(?:[A-Za-z0-9_-]{4})*[A-Za-z0-9_-]{2,4}', number: 'n[0-9]{1,15}' };

// A string, as query parameters are; an invalid value is rejected with the parameter's name.
export const PageLimit = Type.String({
  pattern: '^(100|[1-9][0-9]?)$',
  description: 'an integer from 1 to 100 (default 20)',
});

/** The query of a list whose positions are of these kinds. */
export function pageQuery(kinds: Kinds) {
  return {
    limit: Type.Optional(PageLimit),
    cursor: Type.Optional(
      Type.String({
        pattern: `^${kinds.map((kind) => PATTERNS[kind]).join('\\.')}$`,
        description: 'the next_cursor of an earlier page',
      }),
    ),
  };
}

/** The answer of a list whose items are under `name`. */
export function pageOf<Name extends string, Item extends TSchema>(name: Name, item: Item, title: string) {
  const items = { [name]: Type.Array(item) } as Record<Name, ReturnType<typeof Type.Array<Item>>>;
  return Type.Object({ ...items, next_cursor: Type.Union([Type.String(), Type.Null()]) }, { title });
}

const DEFAULT_LIMIT = 20;

/** Where to begin: the query has passed the schema of these kinds. */
export function pageRequest<const K extends Kinds>(
  { limit, cursor }: { limit?: string; cursor?: string },
  kinds: K,
): { limit: number; after: Position<K> | undefined } {
  const after = cursor === undefined ? undefined : positionIn(cursor, kinds);
  return { limit: limit === undefined ? DEFAULT_LIMIT : Number(limit), after };
}

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
