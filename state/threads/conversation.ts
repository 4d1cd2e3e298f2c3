/** The channels that all workflows share, so that a thread can switch workflows and keep its memory. */
import { type BaseMessage, type BaseMessageLike, coerceMessageLikeToMessage } from '@langchain/core/messages';
import { Annotation, REMOVE_ALL_MESSAGES } from '@langchain/langgraph';

/** The output of one agent in this turn. */
export interface Output {
  agent: string;
  /** The agent's response as text. */
  content: string;
  /** Its structured result, JSON, or null. */
  data: unknown;
  /** When it finished, milliseconds since 1970. */
  finishedAt: number;
}

/**
 * The state that workflows build on: `new StateGraph(Conversation)`, or with additional channels through
 * `Annotation.Root({ ...Conversation.spec, ... })`.
 */
export const Conversation = Annotation.Root({
  /** The window: the newest messages of the thread, the current question last. Older ones are in `summary`. */
  messages: Annotation<BaseMessage[], MessageLike | MessageLike[]>({
    reducer: addMessages,
    default: () => [],
  }),
  /** The rolling summary of messages outside the window; empty while everything fits. */
  summary: Annotation<string>({ reducer: (_, next) => next, default: () => '' }),
  /** The outputs of this turn's agents, in the order they finished; null clears them for a new turn. */
  outputs: Annotation<Output[], Output[] | null>({
    reducer: addOutputs,
    default: () => [],
  }),
});

export type ConversationState = typeof Conversation.State;

/** Appends new outputs. A subgraph that shares the channel also returns the outputs that it received, so skip duplicates. */
function addOutputs(outputs: Output[], added: Output[] | null): Output[] {
  if (added === null) return [];
  const known = new Set(outputs.map(keyOf));
  return [...outputs, ...added.filter((output) => !known.has(keyOf(output)))];
}

function keyOf({ agent, content, finishedAt }: Output): string {
  return JSON.stringify([agent, finishedAt, content]);
}

/** The text of a message. Avoids LangChain's `text` for plain strings, because it converts content blocks first. */
export function textOf(message: BaseMessage): string {
  return typeof message.content === 'string' ? message.content : message.text;
}

/** A message in any form that LangChain accepts: text or `{role, content}`. */
export type MessageLike = BaseMessageLike;

/**
 * Reducer of messages. Appends a message with a new id and replaces one with a known id. A RemoveMessage removes the message
 * with its id, and with REMOVE_ALL_MESSAGES all messages before it. Plain texts, which graphs that were not written for
 * Skein may have left on the thread, become messages.
 */
export function addMessages(messages: MessageLike[], added: MessageLike | MessageLike[]): BaseMessage[] {
  let merged = messages.map(asMessage);
  for (const like of Array.isArray(added) ? (added as MessageLike[]) : [added]) {
    const message = asMessage(like);
    if (message.getType() === 'remove' && message.id === REMOVE_ALL_MESSAGES) {
      merged = [];
      continue;
    }
    message.id ??= Bun.randomUUIDv7();
    const index = merged.findIndex(({ id }) => id === message.id);
    if (message.getType() === 'remove') {
      if (index >= 0) merged.splice(index, 1);
    } else if (index >= 0) merged[index] = message;
    else merged.push(message);
  }
  return merged;
}

function asMessage(like: MessageLike): BaseMessage {
  // No `instanceof`: a project may have its own copy of LangChain.
  const isMessage = typeof (like as Partial<BaseMessage>).getType === 'function';
  return isMessage ? (like as BaseMessage) : coerceMessageLikeToMessage(like);
}
