/** Assistants: each graph is one, under its name and under an id that is derived from it. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { GraphSource } from '../../graphs/adoption/graph-types.ts';
import type { TypedSchemas } from '../../graphs/adoption/typed-schemas.ts';
import type { CompiledGraph } from '../../graphs/authoring/workflow.ts';
import type { RegisteredWorkflow } from '../../runtime/workflows/registered.ts';
import { SkeinError } from '../../state/errors.ts';
import type { Services } from '../services.ts';
import { expandedGraph } from '../workflows/expanded-graph.ts';
import { declaredSchemas } from './declared-schemas.ts';
import { textErrors } from './errors.ts';
import { pageHeaders, pageOf, selected } from './pages.ts';
import { assistantId } from './system-assistants.ts';

const JsonObject = Type.Record(Type.String(), Type.Unknown());
const Nullable = Type.Union([JsonObject, Type.Null()]);

const Assistant = Type.Object(
  {
    assistant_id: Type.String(),
    graph_id: Type.String(),
    config: JsonObject,
    context: JsonObject,
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    metadata: JsonObject,
    version: Type.Integer(),
    name: Type.String(),
    description: Type.Union([Type.String(), Type.Null()]),
  },
  { title: 'Assistant' },
);
type Assistant = Static<typeof Assistant>;

const Search = Type.Object(
  {
    metadata: Type.Optional(JsonObject),
    graph_id: Type.Optional(Type.String()),
    name: Type.Optional(Type.String({ description: 'A part of the name, in any case' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 10 })),
    offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
    sort_by: Type.Optional(Type.String()),
    sort_order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])),
    select: Type.Optional(Type.Array(Type.String())),
  },
  { title: 'AssistantSearch', additionalProperties: true },
);

const Schemas = Type.Object(
  {
    graph_id: Type.String(),
    input_schema: Nullable,
    output_schema: Nullable,
    state_schema: Nullable,
    config_schema: Nullable,
    context_schema: Nullable,
  },
  { title: 'GraphSchemas' },
);

const params = Type.Object({ assistant_id: Type.String() });

const NOT_FOUND = textErrors('INVALID_REQUEST', 'UNAUTHORIZED', 'WORKFLOW_NOT_FOUND');

const Drawing = Type.Object(
  { nodes: Type.Array(JsonObject), edges: Type.Array(JsonObject) },
  { title: 'GraphDrawing' },
);
const Recurse = Type.Object({
  recurse: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')])),
});
// Under the names of LangGraph's API, and under those that its JavaScript server uses here alone.
const Subgraph = Type.Composite([
  Type.Omit(Schemas, ['graph_id']),
  Type.Object({ input: Nullable, output: Nullable, state: Nullable, config: Nullable }),
]);
const Subgraphs = Type.Record(Type.String(), Subgraph, { title: 'Subgraphs' });

export const assistantRoutes = ({ registry, startedAt, typedSchemas }: Services) => {
  function all(): Assistant[] {
    return registry.workflows.filter(({ graph }) => graph).map(assistantOf);
  }

  function assistantOf({ name, description }: RegisteredWorkflow): Assistant {
    const made = new Date(startedAt).toISOString();
    return {
      assistant_id: assistantId(name),
      graph_id: name,
      config: {},
      context: {},
      created_at: made,
      updated_at: made,
      metadata: { created_by: 'system' },
      version: 1,
      name,
      description: description || null,
    };
  }

  /** By the graph's name as it is written, or by the id derived from it. */
  function found(id: string): {
    assistant: Assistant;
    graph: CompiledGraph;
    source?: GraphSource | undefined;
  } {
    for (const workflow of registry.workflows) {
      const assistant = assistantOf(workflow);
      const isAsked = assistant.assistant_id === id.toLowerCase() || assistant.graph_id === id;
      if (isAsked && workflow.graph)
        return { assistant, graph: workflow.graph, source: workflow.adopted?.source };
    }
    throw new SkeinError('WORKFLOW_NOT_FOUND', { detail: 'Assistant not found' });
  }

  function matching({ metadata = {}, graph_id, name }: Static<typeof Search>): Assistant[] {
    const part = name?.toLowerCase() ?? '';
    return all().filter(
      (one) =>
        (graph_id === undefined || one.graph_id === graph_id) &&
        one.name.toLowerCase().includes(part) &&
        Object.entries(metadata).every(([key, value]) => Bun.deepEquals(one.metadata[key], value)),
    );
  }

  return new Elysia({ prefix: '/assistants', name: 'langgraph-assistants' })
    .post(
      '/search',
      ({ body, set }) => {
        const all = matching(body);
        pageHeaders(set, all.length, body);
        return pageOf(sorted(all, body), body).map((one) => selected(one, body.select));
      },
      {
        parse: 'json',
        body: Search,
        response: { 200: Type.Array(Type.Partial(Assistant)) },
        detail: {
          summary: 'Find assistants',
          tags: ['langgraph'],
          responses: textErrors('INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'PAYLOAD_TOO_LARGE'),
        },
      },
    )
    .post('/count', ({ body }) => matching(body).length, {
      parse: 'json',
      body: Search,
      response: { 200: Type.Integer() },
      detail: {
        summary: 'Count assistants',
        tags: ['langgraph'],
        responses: textErrors('INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'PAYLOAD_TOO_LARGE'),
      },
    })
    .get('/:assistant_id', ({ params: { assistant_id } }) => found(assistant_id).assistant, {
      params,
      response: { 200: Assistant },
      detail: { summary: 'One assistant', tags: ['langgraph'], responses: NOT_FOUND },
    })
    .get(
      '/:assistant_id/graph',
      async ({ params: { assistant_id }, query: { xray } }) => {
        const { graph } = found(assistant_id);
        const isWhole = xray !== undefined && xray !== 'false' && xray !== '0';
        const drawn = isWhole ? await expandedGraph(graph) : await graph.getGraphAsync({});
        return drawn.toJSON() as Static<typeof Drawing>;
      },
      {
        params,
        query: Type.Object({
          xray: Type.Optional(
            Type.String({
              pattern: '^(true|false|\\d{1,2})$',
              description: 'With the graphs inside: true, false, or a number other than 0',
            }),
          ),
        }),
        response: { 200: Drawing },
        detail: {
          summary: "The assistant's graph",
          tags: ['langgraph'],
          responses: NOT_FOUND,
        },
      },
    )
    .get(
      '/:assistant_id/schemas',
      async ({ params: { assistant_id } }) => {
        const { assistant, graph, source } = found(assistant_id);
        return { graph_id: assistant.graph_id, ...(await declaredSchemas(graph, typedSchemas, { source })) };
      },
      {
        params,
        response: { 200: Schemas },
        detail: { summary: 'What goes in and comes out', tags: ['langgraph'], responses: NOT_FOUND },
      },
    )
    .get(
      '/:assistant_id/subgraphs',
      ({ params: { assistant_id }, query: { recurse } }) =>
        subgraphsOf(found(assistant_id), typedSchemas, { recurse: recurse === 'true' }),
      {
        params,
        query: Recurse,
        response: { 200: Subgraphs },
        detail: { summary: 'The graphs inside of it', tags: ['langgraph'], responses: NOT_FOUND },
      },
    )
    .get(
      '/:assistant_id/subgraphs/:namespace',
      ({ params: { assistant_id, namespace }, query: { recurse } }) =>
        subgraphsOf(found(assistant_id), typedSchemas, { namespace, recurse: recurse === 'true' }),
      {
        params: Type.Object({ assistant_id: Type.String(), namespace: Type.String() }),
        query: Recurse,
        response: { 200: Subgraphs },
        detail: { summary: 'One of the graphs inside of it', tags: ['langgraph'], responses: NOT_FOUND },
      },
    );
};

async function subgraphsOf(
  { graph, source }: { graph: CompiledGraph; source?: GraphSource | undefined },
  typed: TypedSchemas,
  { namespace, recurse }: { namespace?: string; recurse: boolean },
) {
  const found: Static<typeof Subgraphs> = {};
  for await (const [name, inner] of graph.getSubgraphsAsync(namespace, recurse)) {
    const schemas = await declaredSchemas(inner as CompiledGraph, typed, { source, namespace: name });
    const {
      input_schema: input,
      output_schema: output,
      state_schema: state,
      config_schema: config,
    } = schemas;
    found[name] = { ...schemas, input, output, state, config };
  }
  return found;
}

const SORTED = ['assistant_id', 'graph_id', 'name', 'created_at', 'updated_at'] as const;

function sorted(
  assistants: Assistant[],
  { sort_by, sort_order = 'desc' }: Static<typeof Search>,
): Assistant[] {
  const field = SORTED.find((name) => name === sort_by);
  if (!field) return assistants;
  const sign = sort_order === 'asc' ? 1 : -1;
  return assistants.toSorted((a, b) => sign * a[field].localeCompare(b[field]));
}
