/** A thread's memory: a bounded window of recent messages and a rolling summary of the older ones. */
import { type BaseMessage, HumanMessage, RemoveMessage } from '@langchain/core/messages';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { conversationMessages, spoken } from '../../../graphs/authoring/agent/conversation-messages.ts';
import type { Prompts } from '../../../prompts/prompts.ts';
import { SkeinError } from '../../../state/errors.ts';
import { addMessages, type Conversation, textOf } from '../../../state/threads/conversation.ts';
import type { MemorySize, Thread } from '../../../state/threads/threads.ts';
import type { CallContext } from '../../../tools/models/call/call.ts';
import type { ChatModel } from '../../../tools/models/models.ts';
import { estimateTextTokens } from '../../../tools/models/usage/tokens.ts';
import { dataBlock } from '../../../tools/text/block.ts';
import { untrustedJson } from '../../../tools/text/untrusted-json.ts';
import type { MemoryOptions } from '../../options.ts';

/** The state update with which a turn begins. */
type TurnInput = typeof Conversation.Update;

export interface MemoryParts {
  options: MemoryOptions;
  prompts: Prompts;
}

/** The thread before the turn, and the saver whose newest checkpoint is its head. */
interface TurnStart {
  thread: Pick<Thread, 'threadId' | 'head' | 'memory'>;
  saver: Pick<BaseCheckpointSaver, 'getTuple'>;
}

interface Question {
  question: string;
  /** The messages that ask the question; if empty, a message is created from its text. */
  messages: BaseMessage[];
}

export interface TurnMemory {
  /** The graph's input: the question, and the removal of the messages that leave the window. */
  input(from: TurnStart, question: Question, model: ChatModel, context: CallContext): Promise<TurnInput>;
  /** The size of the memory after the turn. */
  size(messages: BaseMessage[], summary: string): MemorySize;
}

const MAX_SUMMARY = 4_000;
// Cutting a text may leave the first half of a surrogate pair.
const HALF_CHARACTER = /[\ud800-\udbff]$/;

/**
 * When a question would exceed a limit of the window, the oldest messages are moved into the summary until the window is
 * half empty. So the summary is rewritten every few turns and not in each one, and a turn's cost doesn't grow with its
 * thread.
 */
export function turnMemory({ options, prompts }: MemoryParts): TurnMemory {
  async function input(
    from: TurnStart,
    { question, messages: given }: Question,
    model: ChatModel,
    context: CallContext,
  ): Promise<TurnInput> {
    const made = () => [new HumanMessage({ content: question, id: Bun.randomUUIDv7() })];
    const questionMessages = given.length > 0 ? given : made();
    const begin = { outputs: null, messages: questionMessages };
    if (fits(from.thread.memory, question)) return begin;
    const { messages, summary } = await window(from);
    const outside = leaving(messages, question);
    if (outside.length === 0) return begin;
    const removals = outside.map(({ id }) => new RemoveMessage({ id: id ?? '' }));
    const condensed = options.summarise ? await condense(summary, outside, model, context) : summary;
    return { ...begin, messages: [...removals, ...questionMessages], summary: condensed };
  }

  function fits(memory: MemorySize, question: string): boolean {
    const tokens = memory.tokens + estimateTextTokens(question);
    return (
      memory.messages < options.window_messages && (memory.messages === 0 || tokens <= options.window_tokens)
    );
  }

  async function window({ thread, saver }: TurnStart): Promise<{ messages: BaseMessage[]; summary: string }> {
    const tuple = await saver.getTuple({ configurable: { thread_id: thread.threadId } });
    const { messages = [], summary = '' } = tuple?.checkpoint.channel_values ?? {};
    // `addMessages` converts them: a graph that was not written for Skein may have stored messages in another form.
    return { messages: addMessages([], messages as BaseMessage[]), summary: summary as string };
  }

  function leaving(messages: BaseMessage[], question: string): BaseMessage[] {
    let tokens = estimateTextTokens(question);
    let retained = 0;
    for (const message of messages.toReversed()) {
      tokens += estimateTextTokens(textOf(message));
      if (retained + 1 >= options.window_messages / 2 || tokens > options.window_tokens / 2) break;
      retained++;
    }
    // The window must begin with a question, not with the answer to one that was removed.
    while (retained > 0 && messages[messages.length - retained]?.getType() !== 'human') retained--;
    return messages.slice(0, messages.length - retained);
  }

  /** If the model call fails, keeps the old summary: the window is cut anyway, and the turn doesn't fail. */
  async function condense(
    summary: string,
    outside: BaseMessage[],
    model: ChatModel,
    context: CallContext,
  ): Promise<string> {
    try {
      const prompt = await prompts.render(['conversation.summary.jinja'], {});
      const system = `${prompt}\n\nThe conversation: ${conversationText(outside)}`;
      const messages = conversationMessages(system, summary, []);
      const { text } = await model.answer({ task: 'summary', messages }, context);
      return text.trim().slice(0, MAX_SUMMARY).replace(HALF_CHARACTER, '');
    } catch (error) {
      if (error instanceof SkeinError && error.code === 'MODEL_CALL_FAILED') return summary;
      throw error;
    }
  }

  return { input, size: memorySize };
}

/** One line of JSON per message, so that a message can't contain text that looks like another speaker's message. */
function conversationText(messages: BaseMessage[]): string {
  const lines = spoken(messages).map((message) => {
    const text = textOf(message);
    return `${message.getType() === 'human' ? 'user' : 'assistant'} ${untrustedJson(text, text.length)}`;
  });
  return dataBlock('conversation', lines);
}

/** The size of a memory that has not been counted. It exceeds every limit, so the next turn reads and counts the state. */
export const UNKNOWN_SIZE: MemorySize = { messages: Number.MAX_SAFE_INTEGER, tokens: 0, summary: '' };

export function memorySize(messages: BaseMessage[], summary: string): MemorySize {
  return {
    messages: messages.length,
    tokens: messages.reduce((sum, message) => sum + estimateTextTokens(textOf(message)), 0),
    summary,
  };
}
