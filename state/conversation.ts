/** The channels that every workflow shares, so that a thread may change workflow and keeps its memory. */
import type { BaseMessage } from '@langchain/core/messages';
import { Annotation } from '@langchain/langgraph';

/** What one agent gave in this turn. */
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
 * The state that workflows build on: `new StateGraph(Conversation)`, or with channels of their own through
 * `Annotation.Root({ ...Conversation.spec, ... })`.
 */
export const Conversation = Annotation.Root({
  /** The window: the newest messages of the thread, the current question last. What has left it is in `summary`. */
  messages: Annotation<BaseMessage[], BaseMessage | BaseMessage[]>({
    reducer: addMessages,
    default: () => [],
  }),
  /** The rolling summary of what has left the window; empty while everything fits. */
  summary: Annotation<string>({ reducer: (_, next) => next, default: () => '' }),
  /** What the agents of this turn gave, in the order they finished; null empties it for a new turn. */
  outputs: Annotation<Output[], Output[] | null>({
    reducer: addOutputs,
    default: () => [],
  }),
});

export type ConversationState = typeof Conversation.State;

/** Appends; a sub-graph that shares the channel gives back what it was given, which is there already. */
function addOutputs(outputs: Output[], added: Output[] | null): Output[] {
  if (added === null) return [];
  const known = new Set(outputs.map(keyOf));
  return [...outputs, ...added.filter((output) => !known.has(keyOf(output)))];
}

function keyOf({ agent, content, finishedAt }: Output): string {
  return JSON.stringify([agent, finishedAt, content]);
}

/** A message's text. LangChain's own `text` takes even a plain one through a conversion of its parts. */
export function textOf(message: BaseMessage): string {
  return typeof message.content === 'string' ? message.content : message.text;
}

/** Appends; a message whose id is there replaces it in place, a RemoveMessage takes it out. */
export function addMessages(messages: BaseMessage[], added: BaseMessage | BaseMessage[]): BaseMessage[] {
  const merged = [...messages];
  for (const message of Array.isArray(added) ? added : [added]) {
    message.id ??= Bun.randomUUIDv7();
    const index = merged.findIndex(({ id }) => id === message.id);
    if (message.getType() === 'remove') {
      if (index >= 0) merged.splice(index, 1);
    } else if (index >= 0) merged[index] = message;
    else merged.push(message);
  }
  return merged;
}
