/** Describes a graph's input for people and programs that supply one. */
import type { CompiledGraph } from '../../authoring/workflow.ts';
import { inputChannels, inputIssues, inputSchema, type JsonSchema } from './graph-schemas.ts';

/**
 * The graph's own schema, with the fields that it requires. For a graph without a schema: its channels, with any values.
 * Undefined if the input can be any value.
 */
export async function describedInput(graph: CompiledGraph): Promise<JsonSchema | undefined> {
  const channels = inputChannels(graph);
  if (!channels) return undefined;
  const own = inputSchema(graph);
  if (!own) return { type: 'object', properties: Object.fromEntries(channels.map((name) => [name, {}])) };
  // LangGraph marks every field of a schema as optional.
  const required = (await inputIssues(graph, {}))?.flatMap(({ path: [field] = [] }) =>
    typeof field === 'string' && channels.includes(field) ? [field] : [],
  );
  return required && required.length > 0 ? { ...own, required: [...new Set(required)] } : own;
}
