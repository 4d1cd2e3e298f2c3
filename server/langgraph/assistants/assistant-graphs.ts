/** The graph of an assistant: drawn, with its schemas, and with the graphs inside of it. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { GraphSource } from '../../../graphs/adoption/schemas/graph-types.ts';
import type { TypedSchemas } from '../../../graphs/adoption/schemas/typed-schemas.ts';
import type { CompiledGraph } from '../../../graphs/authoring/workflow.ts';
import { assistantGraph } from '../../../runtime/assistants/assistant-graph.ts';
import { expandedGraph } from '../../../runtime/workflows/expanded-graph.ts';
import type { Services } from '../../services.ts';
import { textErrors } from '../errors.ts';
import { JsonObject } from '../json-object.ts';
import { isTrue, QueryFlag } from '../query-flag.ts';
import { declaredSchemas } from './declared-schemas.ts';
import { foundAssistant } from './find-assistant.ts';

const Nullable = Type.Union([JsonObject, Type.Null()]);
const schemas = {
  input_schema: Nullable,
  output_schema: Nullable,
  state_schema: Nullable,
  config_schema: Nullable,
  context_schema: Nullable,
};
const Schemas = Type.Object({ graph_id: Type.String(), ...schemas }, { title: 'GraphSchemas' });

// Under the names of LangGraph's API, and under those that its JavaScript server uses here alone.
const Subgraph = Type.Object({
  ...schemas,
  ...{ input: Nullable, output: Nullable, state: Nullable, config: Nullable },
});
const Subgraphs = Type.Record(Type.String(), Subgraph, { title: 'Subgraphs' });

const Drawing = Type.Object(
  { nodes: Type.Array(JsonObject), edges: Type.Array(JsonObject) },
  { title: 'GraphDrawing' },
);
const Xray = Type.Object({
  xray: Type.Optional(
    Type.String({
      pattern: '^(true|false|\\d{1,2})$',
      description: 'With the graphs inside: true, false, or a number other than 0',
    }),
  ),
});
const Recurse = Type.Object({ recurse: QueryFlag });

const params = Type.Object({ assistant_id: Type.String() });
const FOUND = textErrors(
  ...(['INVALID_REQUEST', 'INVALID_WORKFLOW_TYPE', 'UNAUTHORIZED', 'WORKFLOW_NOT_FOUND'] as const),
);
const detail = (summary: string) => ({ summary, tags: ['langgraph'], responses: FOUND });

export const assistantGraphRoutes = ({ assistants, registry, typedSchemas }: Services) => {
  async function graphOf(request: Request, id: string): Promise<Found> {
    const assistant = await foundAssistant({ assistants }, request, id);
    const workflow = registry.runnable(assistant.graph);
    const graph = await assistantGraph(workflow, assistant);
    return { name: assistant.graph, graph, source: workflow.adopted?.source };
  }

  return new Elysia({ prefix: '/assistants', name: 'langgraph-assistant-graphs' })
    .get(
      '/:assistant_id/graph',
      async ({ params: { assistant_id }, query: { xray }, request }) => {
        const { graph } = await graphOf(request, assistant_id);
        const isWhole = xray !== undefined && xray !== 'false' && xray !== '0';
        const drawn = isWhole ? await expandedGraph(graph) : await graph.getGraphAsync({});
        return drawn.toJSON() as Static<typeof Drawing>;
      },
      { params, query: Xray, response: { 200: Drawing }, detail: detail("The assistant's graph") },
    )
    .get(
      '/:assistant_id/schemas',
      async ({ params: { assistant_id }, request }) => {
        const { name, graph, source } = await graphOf(request, assistant_id);
        return { graph_id: name, ...(await declaredSchemas(graph, typedSchemas, { source })) };
      },
      { params, response: { 200: Schemas }, detail: detail('What goes in and comes out') },
    )
    .get(
      '/:assistant_id/subgraphs',
      async ({ params: { assistant_id }, query: { recurse }, request }) =>
        subgraphsOf(await graphOf(request, assistant_id), typedSchemas, { recurse: isTrue(recurse) }),
      { params, query: Recurse, response: { 200: Subgraphs }, detail: detail('The graphs inside of it') },
    )
    .get(
      '/:assistant_id/subgraphs/:namespace',
      async ({ params: { assistant_id, namespace }, query: { recurse }, request }) =>
        subgraphsOf(await graphOf(request, assistant_id), typedSchemas, {
          namespace,
          recurse: isTrue(recurse),
        }),
      {
        params: Type.Object({ assistant_id: Type.String(), namespace: Type.String() }),
        ...{ query: Recurse, response: { 200: Subgraphs } },
        detail: detail('One of the graphs inside of it'),
      },
    );
};

interface Found {
  name: string;
  graph: CompiledGraph;
  source: GraphSource | undefined;
}

async function subgraphsOf(
  { graph, source }: Found,
  typed: TypedSchemas,
  { namespace, recurse }: { namespace?: string; recurse: boolean },
) {
  const found: Static<typeof Subgraphs> = {};
  for await (const [name, inner] of graph.getSubgraphsAsync(namespace, recurse)) {
    const read = await declaredSchemas(inner as CompiledGraph, typed, { source, namespace: name });
    const { input_schema: input, output_schema: output, state_schema: state, config_schema: config } = read;
    found[name] = { ...read, input, output, state, config };
  }
  return found;
}
