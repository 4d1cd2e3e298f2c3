/** GET routes of /api/v1/store: inspect a caller's namespaces and items. LangGraph's protocol at /store searches and writes. */
import { InvalidNamespaceError, type Item } from '@langchain/langgraph-checkpoint';
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { SkeinError } from '../../state/errors.ts';
import { InvalidItemError } from '../../state/items/bounds.ts';
import type { ItemLife } from '../../state/items/items.ts';
import { ownerQuery } from '../authentication/operators.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import { pageOf, paging } from '../http/schemas/paging.ts';
import type { Services } from '../services.ts';

const NAMESPACES = paging('namespaces', ['number']);
const ITEMS = paging('items', ['number']);

// Above the limits that the store checks itself: 64 labels, and 2,000 characters each for a joined namespace and a key.
const Path = (description: string) => Type.String({ maxLength: 2_100, description });

const Prefix = Type.Optional(Path('Labels, joined by dots (default: all namespaces)'));

const addressFields = {
  namespace: Type.Array(Type.String(), { description: 'The labels of the namespace' }),
  key: Type.String({ description: 'The key within the namespace' }),
};
const timeFields = {
  created_at: Type.String({ format: 'date-time', description: 'When it was created' }),
  updated_at: Type.String({ format: 'date-time', description: 'When it was last written' }),
  expires_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'When it expires. Null: never',
  }),
  ttl_minutes: Type.Union([Type.Number(), Type.Null()], {
    description: 'The item expires this many minutes after the last write or read. Null: never',
  }),
};

const StoredItemEntry = Type.Object(
  {
    ...addressFields,
    fields: Type.Array(Type.String(), { description: 'The names of the first 12 fields of the value' }),
    ...timeFields,
  },
  { title: 'StoredItemEntry' },
);

const StoredItem = Type.Object(
  { ...addressFields, value: Type.Unknown({ description: 'The stored value' }), ...timeFields },
  { title: 'StoredItem' },
);

const Namespace = Type.Object({ namespace: addressFields.namespace }, { title: 'StoreNamespace' });

const listQuery = (pages: typeof ITEMS) => Type.Object({ prefix: Prefix, ...ownerQuery, ...pages.query });

type Parts = Pick<Services, 'runtime' | 'operators'>;

export const storeItemRoutes = ({ runtime, operators }: Parts) =>
  new Elysia({ prefix: '/api/v1/store', name: 'store' })
    .get(
      '/namespaces',
      async ({ query, request, route }) => {
        const { limit, offset } = rangeOf(NAMESPACES, query);
        const store = runtime.storeOf(operators.ofStore({ request, route, owner: query.owner }));
        const options = { prefix: labelsIn(query.prefix), limit: limit + 1, offset };
        const found = await withRequestErrors(() => store.listNamespaces(options));
        const { items, next_cursor } = pageIn(NAMESPACES, found, { limit, offset });
        return { namespaces: items.map((namespace) => ({ namespace })), next_cursor };
      },
      {
        query: listQuery(NAMESPACES),
        response: { 200: pageOf('namespaces', Namespace, 'StoreNamespaceList') },
        detail: {
          summary: 'List the namespaces of the store that contain items, by their labels',
          tags: ['store'],
          responses: errorResponses('INVALID_REQUEST', 'UNAUTHORIZED'),
        },
      },
    )
    .get(
      '/items',
      async ({ query, request, route }) => {
        const { limit, offset } = rangeOf(ITEMS, query);
        const store = runtime.storeOf(operators.ofStore({ request, route, owner: query.owner }));
        // `refreshTtl` is off, because inspecting an item must not extend its life.
        const options = { limit: limit + 1, offset, refreshTtl: false };
        const found = await withRequestErrors(() => store.search(labelsIn(query.prefix), options));
        const { items, next_cursor } = pageIn(ITEMS, found, { limit, offset });
        return { items: items.map(toEntry), next_cursor };
      },
      {
        query: listQuery(ITEMS),
        response: { 200: pageOf('items', StoredItemEntry, 'StoredItemList') },
        detail: {
          summary: 'List the items below a namespace without their values, oldest first',
          tags: ['store'],
          responses: errorResponses('INVALID_REQUEST', 'UNAUTHORIZED'),
        },
      },
    )
    .get(
      '/item',
      async ({ query: { namespace, key, owner }, request, route }) => {
        const store = runtime.storeOf(operators.ofStore({ request, route, owner }));
        const item = await withRequestErrors(() =>
          store.get(labelsIn(namespace), key, { refreshTtl: false }),
        );
        if (!item) throw new SkeinError('NOT_FOUND', { message: 'Item not found in the store' });
        return { ...addressOf(item), value: item.value, ...timesOf(item) };
      },
      {
        query: Type.Object({
          namespace: Path('Labels, joined by dots'),
          key: Path('The key of the item'),
          ...ownerQuery,
        }),
        response: { 200: StoredItem },
        detail: {
          summary: 'Get an item of the store',
          tags: ['store'],
          responses: errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND'),
        },
      },
    );

function labelsIn(path: string | undefined): string[] {
  return path === undefined || path === '' ? [] : path.split('.');
}

interface PageRange {
  limit: number;
  offset: number;
}

function rangeOf(pages: typeof ITEMS, query: { limit?: string; cursor?: string }): PageRange {
  const { limit, after: [offset] = [0] } = pages.request(query);
  return { limit, offset };
}

/** `found` may have one item more than the page, which means that there is a next page. */
function pageIn<T>(pages: typeof ITEMS, found: T[], { limit, offset }: PageRange) {
  const items = found.slice(0, limit);
  return { items, next_cursor: pages.cursorOf(found.length > limit ? [offset + limit] : null) };
}

/** Converts the store's errors for invalid namespaces and keys to INVALID_REQUEST. */
async function withRequestErrors<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    const isInvalid = cause instanceof InvalidNamespaceError || cause instanceof InvalidItemError;
    if (!isInvalid) throw cause;
    throw new SkeinError('INVALID_REQUEST', { detail: cause.message, cause });
  }
}

const MAX_FIELDS = 12;
const MAX_NAME_LENGTH = 60;

function toEntry(item: Item & ItemLife): Static<typeof StoredItemEntry> {
  const fields = Object.keys(item.value).slice(0, MAX_FIELDS);
  return {
    ...addressOf(item),
    fields: fields.map((name) => name.slice(0, MAX_NAME_LENGTH)),
    ...timesOf(item),
  };
}

function addressOf({ namespace, key }: Item) {
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
