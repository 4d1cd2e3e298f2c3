/** The data that is needed to repeat a call of a graph's own model, in the format of OpenAI's chat API. */
import type { BaseMessage } from '@langchain/core/messages';
import type { ModelParameters } from '../../../tools/models/call/call.ts';
import { messageText } from '../message-json.ts';

/**
 * The options of a call other than its messages, as LangChain passes them to handlers. Undefined if they are unknown, or if the
 * model's package uses its own format for tools.
 */
export function callOptions(extra: Record<string, unknown> | undefined): ModelParameters | undefined {
  const params = extra?.invocation_params;
  if (typeof params !== 'object' || params === null) return undefined;
  const { temperature, max_tokens, max_completion_tokens = max_tokens, stop, ...rest }: Params = params;
  const { tools, tool_choice, parallel_tool_calls, response_format } = rest;
  if (tools !== undefined && !(Array.isArray(tools) && tools.every(isFunction))) return undefined;
  const format = defined({ tools, tool_choice, parallel_tool_calls, response_format });
  return defined({
    temperature: typeof temperature === 'number' ? temperature : undefined,
    maxTokens: Number.isInteger(max_completion_tokens) ? Number(max_completion_tokens) : undefined,
    stop: Array.isArray(stop) && stop.length > 0 ? stop.map(String) : undefined,
    format: Object.keys(format).length > 0 ? format : undefined,
  });
}

interface Params {
  temperature?: unknown;
  max_tokens?: unknown;
  max_completion_tokens?: unknown;
  stop?: unknown;
  tools?: unknown;
  tool_choice?: unknown;
  parallel_tool_calls?: unknown;
  response_format?: unknown;
}

function isFunction(tool: unknown): boolean {
  const { type, function: called } = (tool ?? {}) as { type?: unknown; function?: { name?: unknown } };
  return type === 'function' && typeof called?.name === 'string';
}

/** Converts a message of any copy of LangChain. Content with parts other than text stays unchanged. */
export function sentForm(message: BaseMessage): object {
  const { content, tool_calls, tool_call_id } = message as BaseMessage & Called;
  const isText = typeof content === 'string' || content.every(({ type }) => type === 'text');
  return defined({
    content: isText ? messageText(message) : content,
    tool_calls: tool_calls?.length ? tool_calls.map(functionCall) : undefined,
    tool_call_id,
  });
}

interface Called {
  tool_calls?: { id?: string; name: string; args: unknown }[];
  tool_call_id?: string;
}

function functionCall({ id, name, args }: NonNullable<Called['tool_calls']>[number]) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
}

function defined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
