/** Routes for the caller's store in LangGraph's protocol. Graphs access the same store as `config.store`. */
import { InvalidNamespaceError, type Item } from '@langchain/langgraph-checkpoint';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Elysia, status } from 'elysia';
import { ownerOf } from '../authentication/identity.ts';
import type { Services } from '../services.ts';
import { textErrors } from './errors.ts';

const Labels = Type.Array(Type.String());
const Value = Type.Record(Type.String(), Type.Unknown());

const ItemBody = Type.Object(
  {
    namespace: Labels,
    key: Type.String(),
    value: Value,
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    score: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  },
  { title: 'StoreItem' },
);

const Put = Type.Object(
  {
    namespace: Labels,
    key: Type.String({ minLength: 1 }),
    value: Value,
    index: Type.Optional(Type.Union([Type.Literal(false), Type.Array(Type.String()), Type.Null()])),
    ttl: Type.Optional(
      Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.Null()], { description: 'Minutes' }),
    ),
  },
  { title: 'StorePut', additionalProperties: true },
);

const Search = Type.Object(
  {
    namespace_prefix: Labels,
    filter: Type.Optional(Type.Union([Value, Type.Null()])),
    query: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 10 })),
    offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
    refresh_ttl: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  },
  { title: 'StoreSearch', additionalProperties: true },
);

const NamespaceSearch = Type.Object(
  {
    prefix: Type.Optional(Type.Union([Labels, Type.Null()])),
    suffix: Type.Optional(Type.Union([Labels, Type.Null()])),
    max_depth: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
    offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
  },
  { title: 'NamespaceSearch', additionalProperties: true },
);

const REJECTED = {
  422: {
    description: 'The namespace or the item is not valid',
    content: { 'text/plain': { schema: Type.String() as TSchema } },
  },
};
const BODY_ERRORS = {
  ...textErrors('INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'PAYLOAD_TOO_LARGE'),
  ...REJECTED,
};

export const storeRoutes = ({ runtime }: Services) =>
  new Elysia({ prefix: '/store', name: 'langgraph-store' })
    .put(
      '/items',
      async ({ body, request, set }) => {
        const { namespace, key, value, index, ttl } = body;
        const options = ttl === undefined ? undefined : { ttl };
        await withStoreErrors(() =>
          runtime.storeOf(ownerOf(request)).put(namespace, key, value, index ?? undefined, options),
        );
        set.status = 204;
      },
      {
        parse: 'json',
        body: Put,
        response: { 204: Type.Void({ description: 'The item is stored' }) },
        detail: { summary: 'Store an item', tags: ['langgraph'], responses: BODY_ERRORS },
      },
    )
    .get(
      '/items',
      async ({ query: { namespace, key }, request }) => {
        const labels = namespace === undefined || namespace === '' ? [] : namespace.split('.');
        const item = await withStoreErrors(() => runtime.storeOf(ownerOf(request)).get(labels, key));
        // Like the reference server: null instead of 404, because its client returns null.
        return item ? itemBody(item) : (Response.json(null) as never);
      },
      {
        query: Type.Object({
          namespace: Type.Optional(Type.String({ description: 'Labels, joined with dots' })),
          key: Type.String({ minLength: 1 }),
          refresh_ttl: Type.Optional(Type.String()),
        }),
        response: { 200: Type.Union([ItemBody, Type.Null()]) },
        detail: {
          summary: 'Get an item; null if it does not exist',
          tags: ['langgraph'],
          responses: { ...textErrors('INVALID_REQUEST', 'UNAUTHORIZED'), ...REJECTED },
        },
      },
    )
    .delete(
      '/items',
      async ({ body: { namespace = [], key }, request, set }) => {
        await withStoreErrors(() => runtime.storeOf(ownerOf(request)).delete(namespace, key));
        set.status = 204;
      },
      {
        parse: 'json',
        body: Type.Object(
          { namespace: Type.Optional(Labels), key: Type.String({ minLength: 1 }) },
          { title: 'StoreDelete', additionalProperties: true },
        ),
        response: { 204: Type.Void({ description: 'The item is deleted or did not exist' }) },
        detail: { summary: 'Delete an item', tags: ['langgraph'], responses: BODY_ERRORS },
      },
    )
    .post(
      '/items/search',
      async ({ body, request }) => {
        const { namespace_prefix, filter, query, limit = 10, offset = 0, refresh_ttl } = body;
        const options = {
          ...{ limit, offset },
          ...(filter && { filter }),
          ...(query && { query }),
          ...(refresh_ttl !== null && refresh_ttl !== undefined && { refreshTtl: refresh_ttl }),
        };
        const items = await withStoreErrors(() =>
          runtime.storeOf(ownerOf(request)).search(namespace_prefix, options),
        );
        return { items: items.map((item) => ({ ...itemBody(item), score: item.score ?? null })) };
      },
      {
        parse: 'json',
        body: Search,
        response: { 200: Type.Object({ items: Type.Array(ItemBody) }) },
        detail: { summary: 'Search items below a namespace', tags: ['langgraph'], responses: BODY_ERRORS },
      },
    )
    .post(
      '/namespaces',
      async ({ body, request }) => {
        const { prefix, suffix, max_depth, limit = 100, offset = 0 } = body;
        const options = {
          ...{ limit, offset },
          ...(prefix && { prefix }),
          ...(suffix && { suffix }),
          ...(max_depth && { maxDepth: max_depth }),
        };
        return {
          namespaces: await withStoreErrors(() => runtime.storeOf(ownerOf(request)).listNamespaces(options)),
        };
      },
      {
        parse: 'json',
        body: NamespaceSearch,
        response: { 200: Type.Object({ namespaces: Type.Array(Labels) }) },
        detail: {
          summary: 'List the namespaces that have items',
          tags: ['langgraph'],
          responses: BODY_ERRORS,
        },
      },
    );

/** Responds with 422 if the store rejects the namespace or the item, like the reference server. */
async function withStoreErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const isInvalid =
      cause instanceof InvalidNamespaceError || (cause instanceof Error && cause.name === 'InvalidItemError');
    if (!isInvalid) throw cause;
    throw status(422, cause.message);
  }
}

function itemBody({ namespace, key, value, createdAt, updatedAt }: Item): Static<typeof ItemBody> {
  return {
    ...{ namespace, key, value },
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}
