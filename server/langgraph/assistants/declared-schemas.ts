/** The schemas of a graph, as LangGraph's API names them: those that it has at run time, or else what its types say. */
import { graphSchemas } from '../../../graphs/adoption/schemas/graph-schemas.ts';
import type { GraphSource } from '../../../graphs/adoption/schemas/graph-types.ts';
import type { TypedSchemas } from '../../../graphs/adoption/schemas/typed-schemas.ts';
import type { CompiledGraph } from '../../../graphs/authoring/workflow.ts';

export type DeclaredSchemas = ReturnType<typeof graphSchemas>;

/** `source`: of a graph that others wrote. `namespace`: of a graph inside of it. */
export async function declaredSchemas(
  graph: CompiledGraph,
  typed: TypedSchemas,
  { source, namespace }: { source: GraphSource | undefined; namespace?: string },
): Promise<DeclaredSchemas> {
  const own = graphSchemas(graph);
  // Where some are there, as with zod, the types would only say the same in another way.
  if (!source || Object.values(own).some((schema) => schema !== null)) return own;
  const { input, output, state, config } = (await typed.of(source, namespace)) ?? {};
  return {
    input_schema: input ?? null,
    output_schema: output ?? null,
    state_schema: state ?? null,
    config_schema: config ?? null,
    context_schema: config ?? null,
  };
}
