/** Schemas of assistants in LangGraph's API, and their conversion to and from stored assistants. */
import { type Static, Type } from '@sinclair/typebox';
import type {
  AssistantContent,
  AssistantSearch,
  AssistantVersion,
  StoredAssistant,
} from '../../../state/resources/assistants.ts';
import { JsonObject } from '../json-object.ts';

const NullableText = Type.Optional(Type.Union([Type.String(), Type.Null()], { error: 'expected a string' }));
const NullableObject = Type.Optional(Type.Union([JsonObject, Type.Null()], { error: 'expected an object' }));

const common = {
  assistant_id: Type.String(),
  graph_id: Type.String(),
  config: JsonObject,
  context: JsonObject,
  created_at: Type.String({ format: 'date-time' }),
  metadata: JsonObject,
  version: Type.Integer(),
  name: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
};

export const Version = Type.Object(common, { title: 'AssistantVersion' });

export const Assistant = Type.Object(
  { ...common, updated_at: Type.String({ format: 'date-time' }) },
  { title: 'Assistant' },
);
export type Assistant = Static<typeof Assistant>;

const Config = Type.Object(
  {
    configurable: Type.Optional(JsonObject),
    tags: Type.Optional(Type.Array(Type.String())),
    recursion_limit: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { additionalProperties: true },
);

const content = {
  config: Type.Optional(
    Type.Union([Config, Type.Null()], {
      error: 'expected an object; configurable is an object, tags are strings, recursion_limit is an integer',
    }),
  ),
  context: NullableObject,
  metadata: NullableObject,
  name: NullableText,
  description: NullableText,
};

const Id = Type.String({
  pattern: '^[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$',
  description: 'A UUID',
});

export const Create = Type.Object(
  {
    assistant_id: Type.Optional(Type.Union([Id, Type.Null()], { error: 'expected a UUID' })),
    graph_id: Type.String(),
    if_exists: Type.Optional(
      Type.Union([Type.Literal('raise'), Type.Literal('do_nothing'), Type.Null()], { default: 'raise' }),
    ),
    ...content,
  },
  { title: 'AssistantCreate', additionalProperties: true },
);

export const Patch = Type.Object(
  { graph_id: NullableText, ...content },
  { title: 'AssistantPatch', additionalProperties: true },
);

const filter = {
  metadata: NullableObject,
  graph_id: NullableText,
  name: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: 'A part of the name, case-insensitive' }),
  ),
};
const page = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 10 })),
  // SQLite rejects larger numbers.
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })),
};

export const Search = Type.Object(
  {
    ...{ ...filter, ...page },
    sort_by: Type.Optional(
      Type.Union([
        Type.Literal('assistant_id'),
        Type.Literal('graph_id'),
        Type.Literal('name'),
        Type.Literal('created_at'),
        Type.Literal('updated_at'),
      ]),
    ),
    sort_order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])),
    select: Type.Optional(Type.Array(Type.String())),
  },
  { title: 'AssistantSearch', additionalProperties: true },
);

export const Versions = Type.Object(
  { metadata: NullableObject, ...page },
  { title: 'AssistantVersionSearch', additionalProperties: true },
);

export const Latest = Type.Object(
  { version: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) },
  { title: 'AssistantLatest' },
);

/** The name of an assistant that is created without one, as in LangGraph's servers. */
const UNNAMED = 'Untitled';

export function newContent(body: Static<typeof Create>): AssistantContent {
  const empty = { name: UNNAMED, description: null, config: {}, context: {}, metadata: {} };
  return { ...empty, ...changedContent(body), graph: body.graph_id };
}

/** The fields to change. A field that is null or missing is not changed. */
export function changedContent(body: Static<typeof Patch>): Partial<AssistantContent> {
  const { graph_id, name, description, config, context, metadata } = body;
  return {
    ...(graph_id != null && { graph: graph_id }),
    ...(name != null && { name }),
    ...(description != null && { description }),
    ...(config && { config }),
    ...(context && { context }),
    ...(metadata && { metadata }),
  };
}

export function searchOf(owner: string, body: Static<typeof Search>): Omit<AssistantSearch, 'others'> {
  const { metadata, graph_id, name, limit = 10, offset = 0, sort_by, sort_order } = body;
  return {
    ...{ owner, limit, offset },
    metadata: metadata ?? undefined,
    graph: graph_id ?? undefined,
    name: name ?? undefined,
    sortBy: sort_by ?? 'created_at',
    descending: sort_order !== 'asc',
  };
}

export function versionBody(stored: AssistantVersion): Static<typeof Version> {
  const { assistantId, graph, config, context, metadata, version, name, description, createdAt } = stored;
  return {
    ...{ assistant_id: assistantId, graph_id: graph, version, name, description },
    ...{ config, context, metadata, created_at: new Date(createdAt).toISOString() },
  };
}

export function assistantBody(stored: StoredAssistant): Assistant {
  return { ...versionBody(stored), updated_at: new Date(stored.updatedAt).toISOString() };
}
