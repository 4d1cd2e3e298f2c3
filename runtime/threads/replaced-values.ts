/** Replaces a channel's value, bypassing its reducer. Unchanged messages keep all of their fields. */
import { type BaseMessage, coerceMessageLikeToMessage } from '@langchain/core/messages';
import { Overwrite } from '@langchain/langgraph';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { chatMessageJson, isMessage } from '../../graphs/adoption/message-json.ts';

const GivenMessages = Type.Array(
  Type.Object({
    id: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Null()])),
    role: Type.String(),
    content: Type.Union([Type.String(), Type.Array(Type.Record(Type.String(), Type.Unknown()))]),
  }),
);
type GivenMessages = Static<typeof GivenMessages>;

/** The roles of new messages. */
const ROLES = ['user', 'assistant', 'system', 'tool'];

export interface Replacement {
  value: unknown;
  /** The new messages in `value`. */
  messages: BaseMessage[];
}

/** Messages are given in the form in which the service shows them. Throws for an invalid message. */
export function replacement(name: string, current: unknown, given: unknown): Replacement {
  if (!takesMessages(name, current, given)) return { value: given, messages: [] };
  if (!Value.Check(GivenMessages, given)) throw new Error('expected a list of {id?, role, content}');
  const known = Array.isArray(current) ? current.filter(isMessage) : [];
  const value = (given as GivenMessages).map((one) => messageOf(one, known));
  return { value, messages: value.filter((message) => !known.includes(message)) };
}

/** Wraps a value so that a channel with a reducer replaces its own instead of merging. */
export function overwriting(channel: unknown, value: unknown): unknown {
  const { lc_graph_name } = channel as { lc_graph_name?: string };
  // By name: a project's graph uses the classes of its own copy of LangGraph.
  const isReduced = lc_graph_name === 'BinaryOperatorAggregate' || lc_graph_name === 'DeltaChannel';
  return isReduced ? new Overwrite(value) : value;
}

function takesMessages(name: string, current: unknown, given: unknown): boolean {
  if (Array.isArray(current) && current.length > 0) return current.every(isMessage);
  const isEmpty = current === undefined || Array.isArray(current);
  return name === 'messages' && isEmpty && Value.Check(GivenMessages, given);
}

function messageOf(given: GivenMessages[number], known: BaseMessage[]): BaseMessage {
  const before = known.find(({ id }) => id !== undefined && id === given.id);
  if (before && Bun.deepEquals(chatMessageJson(before), given)) return before;
  const { id, ...rest } = given;
  if (!ROLES.includes(given.role)) throw new Error(`a role is one of ${ROLES.join(', ')}`);
  return coerceMessageLikeToMessage({ ...rest, id: id ?? Bun.randomUUIDv7() } as Parameters<
    typeof coerceMessageLikeToMessage
  >[0]);
}
