/** Converts tools and the tool choice to the format of OpenAI's chat API. */
import type { ToolDefinition } from '@langchain/core/language_models/base';
import type { BindToolsInput, ToolChoice } from '@langchain/core/language_models/chat_models';
import { convertToOpenAITool, isLangChainTool } from '@langchain/core/utils/function_calling';
import { toJsonSchema } from '@langchain/core/utils/json_schema';

/**
 * Accepts LangChain's tools, OpenAI's definitions, and a name with a `schema`: zod, Standard Schema or JSON Schema. Throws a
 * TypeError for anything else.
 */
export function openAITool(tool: BindToolsInput): ToolDefinition {
  if (isLangChainTool(tool)) return convertToOpenAITool(tool);
  const { type, name, description, schema, parameters, function: own }: Record<string, unknown> = { ...tool };
  if (type === 'function' && typeof own === 'object' && own !== null) return tool as ToolDefinition;
  if (typeof name !== 'string')
    throw new TypeError(
      'bindTools: a tool must be a LangChain tool, an OpenAI function, or { name, description, schema }',
    );
  const shape = schema === undefined ? (parameters ?? NO_ARGUMENTS) : toJsonSchema(schema as JsonSchema);
  return { type: 'function', function: { name, ...described(description), parameters: shape as JsonSchema } };
}

type JsonSchema = Parameters<typeof toJsonSchema>[0] & Record<string, unknown>;

const NO_ARGUMENTS = { type: 'object', properties: {} };

function described(description: unknown): { description?: string } {
  return typeof description === 'string' ? { description } : {};
}

/** `any` becomes OpenAI's `required`. Other strings are names of tools. */
export function openAIToolChoice(choice: ToolChoice): unknown {
  if (typeof choice !== 'string') return choice;
  if (choice === 'any' || choice === 'required') return 'required';
  if (choice === 'auto' || choice === 'none') return choice;
  return { type: 'function', function: { name: choice } };
}
