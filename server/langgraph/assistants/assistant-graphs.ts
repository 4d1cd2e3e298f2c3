/** Routes for the graph of an assistant: its drawing, its schemas and its subgraphs. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { GraphSource } from '../../../graphs/adoption/schemas/graph-types.ts';
import type { TypedSchemas } from '../../../graphs/adoption/schemas/typed-schemas.ts';
import type { CompiledGraph } from '../../../graphs/authoring/workflow.ts';
import { assistantGraph } from '../../../runtime/assistants/assistant-graph.ts';
import { graphWithSubgraphs } from '../../../runtime/workflows/graph-with-subgraphs.ts';
import type { Services } from '../../services.ts';
import { textErrors } from '../errors.ts';
import { JsonObject } from '../json-object.ts';
import { isTrue, QueryFlag } from '../query-flag.ts';
import { declaredSchemas } from './declared-schemas.ts';
import { findStoredAssistant } from './find-assistant.ts';

const Nullable = Type.Union([JsonObject, Type.Null()]);
const schemas = {
  input_schema: Nullable,
  output_schema: Nullable,
  state_schema: Nullable,
  config_schema: Nullable,
  context_schema: Nullable,
};
const Schemas = Type.Object({ graph_id: Type.String(), ...schemas }, { title: 'GraphSchemas' });

// Has the schemas under two sets of names: those of LangGraph's API, and those that only its JavaScript server uses here.
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
      description: 'true, false, or a number (0 is false): whether to expand subgraphs',
    }),
  ),
});
const Recurse = Type.Object({ recurse: QueryFlag });

const params = Type.Object({ assistant_id: Type.String() });
const READ_ERRORS = textErrors(
  ...(['INVALID_REQUEST', 'INVALID_WORKFLOW_TYPE', 'UNAUTHORIZED', 'WORKFLOW_NOT_FOUND'] as const),
);
const detail = (summary: string) => ({ summary, tags: ['langgraph'], responses: READ_ERRORS });

export const assistantGraphRoutes = ({ assistants, registry, typedSchemas }: Services) => {
  async function loadGraph(request: Request, id: string): Promise<LoadedGraph> {
    const assistant = await findStoredAssistant({ assistants }, request, id);
    const workflow = registry.runnable(assistant.graph);
    const graph = await assistantGraph(workflow, assistant);
    return { name: assistant.graph, graph, source: workflow.adopted?.source };
  }

  return new Elysia({ prefix: '/assistants', name: 'langgraph-assistant-graphs' })
    .get(
      '/:assistant_id/graph',
      async ({ params: { assistant_id }, query: { xray }, request }) => {
        const { graph } = await loadGraph(request, assistant_id);
        const isExpanded = xray !== undefined && xray !== 'false' && xray !== '0';
        const drawing = isExpanded ? await graphWithSubgraphs(graph) : await graph.getGraphAsync({});
        return drawing.toJSON() as Static<typeof Drawing>;
      },
      {
        params,
        query: Xray,
        response: { 200: Drawing },
        detail: detail("Get the drawing of an assistant's graph"),
      },
    )
    .get(
      '/:assistant_id/schemas',
      async ({ params: { assistant_id }, request }) => {
        const { name, graph, source } = await loadGraph(request, assistant_id);
        return { graph_id: name, ...(await declaredSchemas(graph, typedSchemas, { source })) };
      },
      { params, response: { 200: Schemas }, detail: detail("Get the schemas of an assistant's graph") },
    )
    .get(
      '/:assistant_id/subgraphs',
      async ({ params: { assistant_id }, query: { recurse }, request }) =>
        subgraphsOf(await loadGraph(request, assistant_id), typedSchemas, { recurse: isTrue(recurse) }),
      {
        params,
        query: Recurse,
        response: { 200: Subgraphs },
        detail: detail("List the subgraphs of an assistant's graph"),
      },
    )
    .get(
      '/:assistant_id/subgraphs/:namespace',
      async ({ params: { assistant_id, namespace }, query: { recurse }, request }) =>
        subgraphsOf(await loadGraph(request, assistant_id), typedSchemas, {
          namespace,
          recurse: isTrue(recurse),
        }),
      {
        params: Type.Object({ assistant_id: Type.String(), namespace: Type.String() }),
        ...{ query: Recurse, response: { 200: Subgraphs } },
        detail: detail("Get a subgraph of an assistant's graph"),
      },
    );
};

interface LoadedGraph {
  name: string;
  graph: CompiledGraph;
  source: GraphSource | undefined;
}

async function subgraphsOf(
  { graph, source }: LoadedGraph,
  typed: TypedSchemas,
  { namespace, recurse }: { namespace?: string; recurse: boolean },
) {
  const subgraphs: Static<typeof Subgraphs> = {};
  for await (const [name, subgraph] of graph.getSubgraphsAsync(namespace, recurse)) {
    const schemas = await declaredSchemas(subgraph as CompiledGraph, typed, { source, namespace: name });
    const {
      input_schema: input,
      output_schema: output,
      state_schema: state,
      config_schema: config,
    } = schemas;
    subgraphs[name] = { ...schemas, input, output, state, config };
  }
  return subgraphs;
}
