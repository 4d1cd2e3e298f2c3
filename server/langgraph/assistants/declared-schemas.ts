/** The schemas of a graph under the names of LangGraph's API: its runtime schemas, or else schemas from its types. */
import { graphSchemas } from '../../../graphs/adoption/schemas/graph-schemas.ts';
import type { GraphSource } from '../../../graphs/adoption/schemas/graph-types.ts';
import type { TypedSchemas } from '../../../graphs/adoption/schemas/typed-schemas.ts';
import type { CompiledGraph } from '../../../graphs/authoring/workflow.ts';

export type DeclaredSchemas = ReturnType<typeof graphSchemas>;

/**
 * `source`: where the code of an adopted graph is; undefined for Skein's own workflows. `namespace`: the namespace of a
 * subgraph. A schema that is unknown is null.
 */
export async function declaredSchemas(
  graph: CompiledGraph,
  typed: TypedSchemas,
  { source, namespace }: { source: GraphSource | undefined; namespace?: string },
): Promise<DeclaredSchemas> {
  const declared = graphSchemas(graph);
  // If the graph declares schemas, for example with zod, the types would only repeat them.
  if (!source || Object.values(declared).some((schema) => schema !== null)) return declared;
  const { input, output, state, config } = (await typed.of(source, namespace)) ?? {};
  return {
    input_schema: input ?? null,
    output_schema: output ?? null,
    state_schema: state ?? null,
    config_schema: config ?? null,
    context_schema: config ?? null,
  };
}
