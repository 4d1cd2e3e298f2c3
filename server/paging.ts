/** Pages of lists: `limit` and an opaque `cursor` in the query, `next_cursor` in the answer. */
import { type TSchema, Type } from '@sinclair/typebox';
import { SkeinError } from '../state/errors.ts';

export const PageQuery = {
  // Text, as queries are: what is not such a number is refused by name.
  limit: Type.Optional(
    Type.String({
      pattern: '^(100|[1-9][0-9]?)$',
      description: 'an integer from 1 to 100; 20 where it is not said',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 500, description: 'The next_cursor of the page before; a query of its own' }),
  ),
};

/** The answer of a list whose items are under `name`. */
export function pageOf<Name extends string, Item extends TSchema>(name: Name, item: Item, title: string) {
  const items = { [name]: Type.Array(item) } as Record<Name, ReturnType<typeof Type.Array<Item>>>;
  return Type.Object({ ...items, next_cursor: Type.Union([Type.String(), Type.Null()]) }, { title });
}

const DEFAULT_LIMIT = 20;

type Kinds = readonly ('number' | 'string')[];
type Position<K extends Kinds> = { -readonly [I in keyof K]: K[I] extends 'number' ? number : string };

/** Where to begin; throws INVALID_REQUEST for a cursor that this list did not give. */
export function pageRequest<const K extends Kinds>(
  { limit, cursor }: { limit?: string; cursor?: string },
  kinds: K,
): { limit: number; after: Position<K> | undefined } {
  const after = cursor === undefined ? undefined : positionIn(cursor, kinds);
  return { limit: limit === undefined ? DEFAULT_LIMIT : Number(limit), after };
}

export function cursorOf(next: (string | number)[] | null): string | null {
  return next && Buffer.from(JSON.stringify(next)).toString('base64url');
}

function positionIn<K extends Kinds>(cursor: string, kinds: K): Position<K> {
  const position = parsed(cursor);
  const fits =
    Array.isArray(position) &&
    position.length === kinds.length &&
    position.every(
      (value, index) =>
        typeof value === kinds[index] && (typeof value === 'string' || Number.isSafeInteger(value)),
    );
  if (fits) return position as Position<K>;
  throw new SkeinError('INVALID_REQUEST', { detail: 'cursor: expected the next_cursor of a page before' });
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}
