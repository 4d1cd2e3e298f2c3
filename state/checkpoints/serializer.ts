/** Serializes checkpointed values as compact JSON, with `$` tags for types that JSON lacks. User data stays plain data. */
import {
  AIMessage,
  AIMessageChunk,
  BaseMessage,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  SystemMessageChunk,
  ToolMessage,
} from '@langchain/core/messages';
import { Send } from '@langchain/langgraph';
import { DeltaSnapshot, isDeltaSnapshot } from '@langchain/langgraph-checkpoint';

/** Encodes a value as JSON text. Synchronous, because LangGraph's serializer creates a promise per JSON node. */
export function encode(value: unknown): string {
  return JSON.stringify(pack(value));
}

/**
 * Decodes text from `encode`. Only the tags below become class instances. A plain object stays plain whatever keys it has;
 * LangGraph's serializer revives `{lc: 1, ...}` from user data.
 */
export function decode(text: string): unknown {
  return unpack(JSON.parse(text));
}

type Plain = Record<string, unknown>;

/** Converts a value to plain JSON values. Throws RangeError if it contains a circular reference or is nested too deeply. */
export function pack(value: unknown): unknown {
  return packIn(value, { depth: 0, ancestors: new Set() });
}

/** The position of `pack` in a value. */
interface Nest {
  depth: number;
  /** The enclosing objects from CHECKED_DEPTH down, to detect circular references. */
  ancestors: Set<object>;
}

// Recording every object would slow down all values, and a circular value always reaches this depth. A much larger depth would
// be slow for circular values: each pass around the cycle copies everything in it, which may include a long list.
const CHECKED_DEPTH = 32;

function packIn(value: unknown, nest: Nest): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return isJsonNumber(value) ? value : { $: 'number', v: Object.is(value, -0) ? '-0' : String(value) };
    case 'bigint':
      return { $: 'bigint', v: String(value) };
    case 'object':
      return value === null ? null : packNested(value, nest);
    default:
      return { $: 'undefined' };
  }
}

/** JSON has neither infinities nor NaN, and loses the sign of -0. */
function isJsonNumber(value: number): boolean {
  return Number.isFinite(value) && !Object.is(value, -0);
}

function packNested(value: object, nest: Nest): unknown {
  const isChecked = nest.depth++ >= CHECKED_DEPTH;
  if (isChecked) {
    if (nest.ancestors.has(value)) throw new RangeError('The value contains a circular reference');
    nest.ancestors.add(value);
  }
  const packed = packObject(value, nest);
  nest.depth--;
  if (isChecked) nest.ancestors.delete(value);
  return packed;
}

function packObject(value: object, nest: Nest): unknown {
  const inner = (one: unknown) => packIn(one, nest);
  if (Array.isArray(value)) return packList(value, nest);
  if (BaseMessage.isInstance(value)) return packMessage(value, nest);
  if (value instanceof Date) return { $: 'date', v: value.getTime() };
  if (value instanceof Map) return { $: 'map', v: Array.from(value, (entry) => entry.map(inner)) };
  if (value instanceof Set) return { $: 'set', v: Array.from(value, inner) };
  if (value instanceof RegExp) return { $: 'regexp', v: [value.source, value.flags] };
  if (value instanceof Error) return { $: 'error', v: [value.name, value.message] };
  if (value instanceof Uint8Array) return { $: 'bytes', v: Buffer.from(value).toString('base64') };
  if (isDeltaSnapshot(value) && !isPlain(value)) return { $: 'delta', v: inner(value.value) };
  if (isSend(value)) return { $: 'send', v: sendParts(value).map(inner) };
  const json = ownJson(value);
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return inner(json);
  const fields = Object.fromEntries(Object.entries(json).map(([k, v]) => [k, inner(v)]));
  return Object.hasOwn(fields, '$') ? { $: 'object', v: fields } : fields;
}

/**
 * Applies `toJSON` of class instances, as LangGraph's serializer does: a URL or a decimal has no enumerable fields. Skips
 * LangChain's objects, whose `toJSON` returns the `{lc: 1, ...}` form.
 */
function ownJson(value: object): unknown {
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON !== 'function' || isPlain(value) || 'lc_serializable' in value) return value;
  return toJSON.call(value);
}

/** Doesn't use `map`, which skips the holes of a sparse array; JSON would store them as null instead of undefined. */
function packList(list: unknown[], nest: Nest): unknown[] {
  const packed: unknown[] = [];
  for (let index = 0; index < list.length; index++) packed.push(packIn(list[index], nest));
  return packed;
}

// Checks the name, not the class: a project's graph uses its own copy of LangGraph. A plain object is user data.
function isSend(value: object): value is Send {
  return 'lg_name' in value && value.lg_name === 'Send' && !isPlain(value);
}

function sendParts({ node, args, timeout }: Send): unknown[] {
  return timeout === undefined ? [node, args] : [node, args, timeout];
}

function unpackSend([node, args, timeout]: unknown[]): Send {
  const options = timeout === undefined ? undefined : { timeout: timeout as Send['timeout'] };
  return new Send(node as string, args, options);
}

function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype;
}

/** The reverse of `pack`. Changes `value` in place. */
export function unpack(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(unpack);
  const fields = value as Plain;
  if (typeof fields.$ === 'string') return unpackTagged(fields.$, fields);
  return unpackFields(fields);
}

// Changes the object in place: after JSON.parse a key such as `__proto__` is an own property and must stay one.
function unpackFields(fields: Plain): Plain {
  for (const key of Object.keys(fields)) fields[key] = unpack(fields[key]);
  return fields;
}

function unpackTagged(tag: string, fields: Plain): unknown {
  const v = fields.v;
  switch (tag) {
    case 'undefined':
      return undefined;
    case 'number':
      return Number(v);
    case 'bigint':
      return BigInt(v as string);
    case 'date':
      // The time of an invalid date is NaN, which JSON stores as null.
      return new Date((v as number | null) ?? Number.NaN);
    case 'map':
      return new Map(unpack(v) as [unknown, unknown][]);
    case 'set':
      return new Set(unpack(v) as unknown[]);
    case 'regexp':
      return new RegExp(...(v as [string, string]));
    case 'error':
      return Object.assign(new Error((v as string[])[1]), { name: (v as string[])[0] });
    case 'bytes':
      return new Uint8Array(Buffer.from(v as string, 'base64'));
    case 'delta':
      return new DeltaSnapshot(unpack(v));
    case 'send':
      return unpackSend((v as unknown[]).map(unpack));
    case 'object':
      return unpackFields(v as Plain);
    default:
      return unpackMessage(tag, fields);
  }
}

type MessageFields = { id?: string; content: string } & Plain;

/** Constructors of messages by `getType()`; chunks have the suffix `+`. */
const MESSAGES: Record<string, (fields: MessageFields) => BaseMessage> = {
  human: (fields) => new HumanMessage(fields),
  ai: (fields) => new AIMessage(fields),
  system: (fields) => new SystemMessage(fields),
  tool: (fields) => new ToolMessage(fields as ConstructorParameters<typeof ToolMessage>[0] & MessageFields),
  function: (fields) => new FunctionMessage({ ...fields, name: String(fields.name) }),
  generic: (fields) => new ChatMessage({ ...fields, role: String(fields.role) }),
  remove: (fields) => new RemoveMessage({ ...fields, id: String(fields.id) }),
  'human+': (fields) => new HumanMessageChunk(fields),
  'ai+': (fields) => new AIMessageChunk(fields),
  'system+': (fields) => new SystemMessageChunk(fields),
};

/** Optional fields of a message besides `id` and `content`. Empty fields are not stored. */
const EXTRAS = [
  'name',
  'role',
  'additional_kwargs',
  'response_metadata',
  'tool_calls',
  'invalid_tool_calls',
  'usage_metadata',
  'tool_call_chunks',
  'tool_call_id',
  'metadata',
  'status',
] as const;

function packMessage(message: BaseMessage, nest: Nest): Plain {
  const type = message.getType();
  const chunk = `${type}+`;
  const isChunk = chunk in MESSAGES && message.lc_id.at(-1)?.endsWith('MessageChunk');
  const packed: Plain = { $: isChunk ? chunk : type, id: message.id, c: packIn(message.content, nest) };
  const fields = message as unknown as Plain;
  for (const name of EXTRAS) if (!isEmpty(fields[name])) packed[name] = packIn(fields[name], nest);
  // Unlike the other fields, `artifact` has no default: an empty one is what the tool returned.
  if (fields.artifact !== undefined) packed.artifact = packIn(fields.artifact, nest);
  return packed;
}

function unpackMessage(tag: string, packed: Plain): BaseMessage {
  const revive = MESSAGES[tag];
  if (!revive) throw new Error(`A checkpoint contains a value of the unknown type '${tag}'`);
  const { $, c, ...fields } = packed;
  return revive({ ...unpackFields(fields), content: unpack(c) as string });
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
