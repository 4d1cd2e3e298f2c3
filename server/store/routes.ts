/** GET /store: what a caller's store holds. LangGraph's protocol, at /store, is where items are searched and written. */
import { InvalidNamespaceError, type Item } from '@langchain/langgraph-checkpoint';
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { SkeinError } from '../../state/errors.ts';
import { InvalidItemError } from '../../state/items/bounds.ts';
import type { ItemLife } from '../../state/items/items.ts';
import { ownerQuery } from '../authentication/operators.ts';
import { errorResponses } from '../http/error-schema.ts';
import { cursorOf, pageOf, pageQuery, pageRequest } from '../http/paging.ts';
import type { Services } from '../services.ts';

const POSITION = ['number'] as const;

// LangGraph's own limits are below: a namespace of 64 labels and a key, of 2,000 characters each.
const Path = (description: string) => Type.String({ maxLength: 2_100, description });

const Prefix = Type.Optional(Path('Labels, joined by dots; default: all'));

const placeFields = { namespace: Type.Array(Type.String()), key: Type.String() };
const timeFields = {
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
  expires_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  ttl_minutes: Type.Union([Type.Number(), Type.Null()], {
    description: 'Minutes after the last write or read at which it expires; null: never',
  }),
};

const StoredItemEntry = Type.Object(
  {
    ...placeFields,
    fields: Type.Array(Type.String(), { description: 'Names of the first fields of its value' }),
    ...timeFields,
  },
  { title: 'StoredItemEntry' },
);

const StoredItem = Type.Object(
  { ...placeFields, value: Type.Unknown(), ...timeFields },
  { title: 'StoredItem' },
);

const Namespace = Type.Object({ namespace: placeFields.namespace }, { title: 'StoreNamespace' });

const listQuery = Type.Object({ prefix: Prefix, ...ownerQuery, ...pageQuery(POSITION) });

type Parts = Pick<Services, 'runtime' | 'operators'>;

export const storeItemRoutes = ({ runtime, operators }: Parts) =>
  new Elysia({ prefix: '/api/v1/store', name: 'store' })
    .get(
      '/namespaces',
      async ({ query, request, route }) => {
        const { limit, offset } = spanOf(query);
        const store = runtime.storeOf(operators.ofStore({ request, route, owner: query.owner }));
        const asks = { prefix: labelsIn(query.prefix), limit: limit + 1, offset };
        const found = await asked(() => store.listNamespaces(asks));
        const { items, next_cursor } = pageIn(found, { limit, offset });
        return { namespaces: items.map((namespace) => ({ namespace })), next_cursor };
      },
      {
        query: listQuery,
        response: { 200: pageOf('namespaces', Namespace, 'StoreNamespaceList') },
        detail: {
          summary: 'The namespaces of the store that hold items, by their labels',
          tags: ['store'],
          responses: errorResponses('INVALID_REQUEST', 'UNAUTHORIZED'),
        },
      },
    )
    .get(
      '/items',
      async ({ query, request, route }) => {
        const { limit, offset } = spanOf(query);
        const store = runtime.storeOf(operators.ofStore({ request, route, owner: query.owner }));
        // Looking at an item does not keep it alive.
        const asks = { limit: limit + 1, offset, refreshTtl: false };
        const found = await asked(() => store.search(labelsIn(query.prefix), asks));
        const { items, next_cursor } = pageIn(found, { limit, offset });
        return { items: items.map(toEntry), next_cursor };
      },
      {
        query: listQuery,
        response: { 200: pageOf('items', StoredItemEntry, 'StoredItemList') },
        detail: {
          summary: 'The items below a namespace, without their values, in the order in which they were made',
          tags: ['store'],
          responses: errorResponses('INVALID_REQUEST', 'UNAUTHORIZED'),
        },
      },
    )
    .get(
      '/item',
      async ({ query: { namespace, key, owner }, request, route }) => {
        const store = runtime.storeOf(operators.ofStore({ request, route, owner }));
        const item = await asked(() => store.get(labelsIn(namespace), key, { refreshTtl: false }));
        if (!item) throw new SkeinError('NOT_FOUND', { message: 'There is no such item in the store' });
        return { ...placeOf(item), value: item.value, ...timesOf(item) };
      },
      {
        query: Type.Object({
          namespace: Path('Labels, joined by dots'),
          key: Path('Its key'),
          ...ownerQuery,
        }),
        response: { 200: StoredItem },
        detail: {
          summary: 'One item of the store with its value',
          tags: ['store'],
          responses: errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND'),
        },
      },
    );

function labelsIn(path: string | undefined): string[] {
  return path === undefined || path === '' ? [] : path.split('.');
}

interface Span {
  limit: number;
  offset: number;
}

function spanOf(query: { limit?: string; cursor?: string }): Span {
  const { limit, after: [offset] = [0] } = pageRequest(query, POSITION);
  return { limit, offset };
}

/** One more than the page has was asked for. */
function pageIn<T>(found: T[], { limit, offset }: Span): { items: T[]; next_cursor: string | null } {
  const items = found.slice(0, limit);
  return { items, next_cursor: cursorOf(found.length > limit ? [offset + limit] : null) };
}

/** If the store refuses a place with its own errors, the request is at fault. */
async function asked<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    const isRefusal = cause instanceof InvalidNamespaceError || cause instanceof InvalidItemError;
    if (!isRefusal) throw cause;
    throw new SkeinError('INVALID_REQUEST', { detail: cause.message, cause });
  }
}

const MOST_FIELDS = 12;
const LONGEST_FIELD = 60;

function toEntry(item: Item & ItemLife): Static<typeof StoredItemEntry> {
  const fields = Object.keys(item.value).slice(0, MOST_FIELDS);
  return { ...placeOf(item), fields: fields.map((name) => name.slice(0, LONGEST_FIELD)), ...timesOf(item) };
}

function placeOf({ namespace, key }: Item) {
  return { namespace, key };
}

function timesOf({ createdAt, updatedAt, expiresAt, ttlMinutes }: Item & ItemLife) {
  return {
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
    ttl_minutes: ttlMinutes ?? null,
  };
}
