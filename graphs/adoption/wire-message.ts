/** Messages in the format of LangGraph's servers: with all of LangChain's fields, even empty ones. */
import type { BaseMessage } from '@langchain/core/messages';
import { asJson } from './message-json.ts';

type Json = Record<string, unknown>;

/** Fields that only some types of messages have. LangChain's own `toDict` returns the same, but takes ten times as long. */
const FIELDS = [
  ...(['id', 'name', 'tool_calls', 'invalid_tool_calls', 'tool_call_chunks', 'usage_metadata'] as const),
  ...(['tool_call_id', 'status', 'artifact'] as const),
];

/** `{type, content, additional_kwargs, response_metadata, id, ...}`. */
export function wireMessage(message: BaseMessage): Json {
  const { content, additional_kwargs = {}, response_metadata = {} } = message;
  const json: Json = {
    content: jsonOf(content),
    additional_kwargs: jsonOf(additional_kwargs),
    response_metadata: jsonOf(response_metadata),
  };
  const fields = message as unknown as Json;
  for (const name of FIELDS) if (fields[name] !== undefined) json[name] = jsonOf(fields[name]);
  json.type = message.getType();
  return json;
}

function jsonOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value) && value.length === 0) return [];
  return wireJson(value);
}

/** Converts any value of a graph's state or stream for LangGraph's clients. */
export function wireJson(value: unknown): unknown {
  return asJson(value, wireMessage);
}
