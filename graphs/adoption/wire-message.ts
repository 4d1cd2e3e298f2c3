/** Messages as LangGraph's servers write them: with all of LangChain's fields, empty ones too. */
import type { BaseMessage } from '@langchain/core/messages';
import { asJson } from './message-json.ts';

type Json = Record<string, unknown>;

/** `{type, content, additional_kwargs, response_metadata, id, ...}`. */
export function wireMessage(message: BaseMessage): Json {
  const { type, data } = message.toDict();
  return { ...(asJson(data, wireMessage) as Json), type };
}

/** Any value of a graph's state or stream as LangGraph's clients get it. */
export function wireJson(value: unknown): unknown {
  return asJson(value, wireMessage);
}
