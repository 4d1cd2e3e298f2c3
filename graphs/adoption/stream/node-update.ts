/** The update that a node returned: its messages, and other changes. */
import { asJson, isMessage, messageText } from '../message-json.ts';

export interface NodeUpdate {
  /** The whole update as JSON, without messages from the node's input. */
  json: unknown;
  /** The AI messages that the node returned, with their ids if set. */
  answers: { id: string | undefined; text: string; message: object }[];
  /** All new messages that the node returned. */
  messages: object[];
  /** Other changes, as JSON; undefined if there are none. */
  data: unknown;
}

/** `update` is the node's update in LangGraph's stream, a list if there are several. `input` is the node's input. */
export function nodeUpdate(update: unknown, input: unknown): NodeUpdate {
  const isGiven = givenIds(input);
  const answers: NodeUpdate['answers'] = [];
  const messages: object[] = [];
  const parts = (Array.isArray(update) ? update : [update]).map((part) =>
    without(part, isGiven, { answers, messages }),
  );
  const [only] = parts;
  const json = parts.length === 1 ? only?.json : parts.map((part) => part.json);
  const changed = parts.filter(({ data }) => data !== undefined);
  const data =
    changed.length <= 1 ? changed[0]?.data : Object.assign({}, ...changed.map((part) => part.data));
  return { json, answers, messages, data };
}

/**
 * Everything that a node of a state graph wrote, from LangGraph's stream of tasks. `update`, from the stream of updates, lacks
 * fields that are not part of the graph's output.
 */
export function writtenBy(result: Record<string, unknown>, update: unknown): unknown {
  const writes = Object.entries(result);
  if (writes.length === 0 || writes.some(([channel]) => channel.startsWith('__'))) return update;
  const hasSeveral = writes.some(([, value]) => severalOf(value));
  return hasSeveral
    ? writes.flatMap(([channel, value]) => (severalOf(value) ?? [value]).map((one) => ({ [channel]: one })))
    : result;
}

function severalOf(value: unknown): unknown[] | undefined {
  const { $writes } = (value ?? {}) as { $writes?: unknown };
  return Array.isArray($writes) ? $writes : undefined;
}

function without(
  part: unknown,
  isGiven: (id: string | undefined) => boolean,
  found: Pick<NodeUpdate, 'answers' | 'messages'>,
) {
  if (!isPlainObject(part)) return { json: asJson(part) ?? null, data: asJson(part) ?? undefined };
  const json: Record<string, unknown> = {};
  const data: Record<string, unknown> = {};
  for (const [channel, value] of Object.entries(part)) {
    const messages = messagesIn(channel, value);
    if (!messages) {
      data[channel] = json[channel] = asJson(value) ?? null;
      continue;
    }
    const added = messages.filter((message) => !isGiven(idOf(message)));
    json[channel] = added.map((message) => asJson(message));
    found.messages.push(...added);
    for (const message of added)
      if (isAnswer(message)) found.answers.push({ id: idOf(message), text: textIn(message), message });
  }
  return { json, data: Object.keys(data).length > 0 ? data : undefined };
}

/** A list of messages in any of LangChain's forms; in channels other than `messages`, only message objects count. */
function messagesIn(channel: string, value: unknown): object[] | undefined {
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 0) return undefined;
  if (list.every(isMessage)) return list;
  if (channel !== 'messages') return undefined;
  return list.filter((one) => typeof one === 'object' && one !== null);
}

const ANSWERS: unknown[] = ['ai', 'assistant'];

function isAnswer(message: object): boolean {
  if (isMessage(message)) return message.getType() === 'ai';
  if (Array.isArray(message)) return ANSWERS.includes(message[0]);
  const { role, type } = message as { role?: unknown; type?: unknown };
  return ANSWERS.includes(role ?? type);
}

function textIn(message: object): string {
  return Array.isArray(message) ? messageText({ content: message[1] }) : messageText(message);
}

function idOf(message: unknown): string | undefined {
  const { id } = (message ?? {}) as { id?: unknown };
  return typeof id === 'string' ? id : undefined;
}

/** The ids of the node's input messages, read only when first needed: a thread may have thousands. */
function givenIds(input: unknown): (id: string | undefined) => boolean {
  let ids: Set<string> | undefined;
  return (id) => {
    if (id === undefined || typeof input !== 'object' || input === null) return false;
    const lists = Object.values(input).filter((value) => Array.isArray(value));
    ids ??= new Set(lists.flatMap((list) => list.flatMap((one) => idOf(one) ?? [])));
    return ids.has(id);
  };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isMessage(value);
}
