/** What a graph's input looks like, for people and programs that are to give one. */
import type { CompiledGraph } from '../authoring/workflow.ts';
import { inputChannels, inputIssues, inputSchema, type JsonSchema } from './graph-schemas.ts';

/**
 * The graph's own schema with the fields that it does not start without; of a graph without a schema its channels, which
 * may be anything. Undefined where the whole input may be anything.
 */
export async function describedInput(graph: CompiledGraph): Promise<JsonSchema | undefined> {
  const channels = inputChannels(graph);
  if (!channels) return undefined;
  const own = inputSchema(graph);
  if (!own) return { type: 'object', properties: Object.fromEntries(channels.map((name) => [name, {}])) };
  // LangGraph gives every field of a schema as optional.
  const required = (await inputIssues(graph, {}))?.flatMap(({ path: [field] = [] }) =>
    typeof field === 'string' && channels.includes(field) ? [field] : [],
  );
  return required && required.length > 0 ? { ...own, required: [...new Set(required)] } : own;
}
