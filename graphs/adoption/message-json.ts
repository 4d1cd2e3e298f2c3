/** LangChain messages as JSON, in the format of LangGraph's own server but without empty fields. */
import { BaseMessage } from '@langchain/core/messages';

type Json = Record<string, unknown>;

/** Recognizes messages by their properties, because a graph may use another copy of LangChain. */
export function isMessage(value: unknown): value is BaseMessage {
  if (BaseMessage.isInstance(value)) return true;
  const { getType, content } = (value ?? {}) as Partial<BaseMessage>;
  return typeof getType === 'function' && content !== undefined;
}

const ROLES: Record<string, string> = { human: 'user', ai: 'assistant' };

/** The format of the service's own API: `{id, role, content, ...}`. */
export function chatMessageJson(message: BaseMessage): Json {
  const { type, id, ...more } = messageJson(message);
  return { id: id ?? null, role: ROLES[String(type)] ?? type, ...more };
}

const FIELDS = [
  ...(['name', 'tool_calls', 'invalid_tool_calls', 'usage_metadata', 'tool_call_id', 'status'] as const),
  ...(['artifact', 'additional_kwargs', 'response_metadata'] as const),
];

/** `{type, content, id, ...}`. */
function messageJson(message: BaseMessage): Json {
  const fields = message as unknown as Json;
  const more = FIELDS.filter((name) => !isEmpty(fields[name])).map((name) => [name, asJson(fields[name])]);
  const content = asJson(message.content);
  return {
    type: message.getType(),
    content,
    ...(message.id && { id: message.id }),
    ...Object.fromEntries(more),
  };
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/**
 * Converts any value of a graph's state to JSON. Values that JSON can't express are dropped, and circular references become null.
 * `message` converts messages.
 */
export function asJson(value: unknown, message: (message: BaseMessage) => unknown = messageJson): unknown {
  return jsonOf(value, [], message);
}

// Deeper than any readable state. Without a limit, objects whose `toJSON` returns another object with `toJSON` would never end.
const DEEPEST = 100;

/** A value that throws when it is read becomes null, because an error in reporting must not fail the turn. */
function jsonOf(
  value: unknown,
  around: readonly unknown[],
  message: (message: BaseMessage) => unknown,
): unknown {
  if (around.length > DEEPEST) return null;
  try {
    return formOf(value, around, message);
  } catch {
    return null;
  }
}

function formOf(
  value: unknown,
  around: readonly unknown[],
  message: (message: BaseMessage) => unknown,
): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (around.includes(value)) return null;
  if (isMessage(value)) return message(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Error) return { name: value.name, message: value.message };
  const inner = [...around, value];
  if (value instanceof Map)
    return objectOf(
      Array.from(value, ([key, one]) => [String(key), one]),
      inner,
      message,
    );
  if (Array.isArray(value) || value instanceof Set)
    return Array.from(value, (one) => jsonOf(one, inner, message) ?? null);
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return jsonOf(toJSON.call(value), inner, message);
  return objectOf(Object.entries(value), inner, message);
}

function objectOf(
  entries: [string, unknown][],
  around: readonly unknown[],
  message: (message: BaseMessage) => unknown,
): Json {
  const made = entries.map(([key, one]) => [key, jsonOf(one, around, message)] as const);
  return Object.fromEntries(made.filter(([, one]) => one !== undefined));
}

/** The text of a message, in LangChain's form or as JSON. */
export function messageText({ content }: { content?: unknown }): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((block) =>
      typeof block === 'string' ? [block] : typeof block?.text === 'string' ? [block.text] : [],
    )
    .join('');
}
