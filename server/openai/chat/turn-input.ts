/** Converts the messages of a request to the input of a turn, or to answers to interrupts. */
import { SkeinError } from '../../../state/errors.ts';
import type { ConversationMessage } from '../../../state/threads/runs.ts';
import { contentOf, displayText } from '../content.ts';
import type { CallOutput } from '../interrupt-calls.ts';
import type { Message } from './schema.ts';

export type TurnInput =
  | { prompt: string; conversation: ConversationMessage[] | undefined }
  | { threadId: string; answers: CallOutput[] };

/** For a request with a thread: only the last message counts, because the thread contains the others. Throws INVALID_REQUEST. */
export function inputOnThread(messages: Message[], threadId: string): TurnInput {
  const last = messages.findLast(({ role }) => role === 'user' || role === 'tool');
  if (last?.role === 'tool') return { threadId, answers: trailingAnswers(messages) };
  const question = last && conversationMessage(last);
  return { prompt: promptOf(question), conversation: isPlainText(question) ? undefined : [question] };
}

/** For a request without a thread: the messages are the whole conversation. Throws INVALID_REQUEST. */
export function inputWithoutThread(messages: Message[]): Extract<TurnInput, { prompt: string }> {
  const conversation = messages.map(conversationMessage);
  const last = conversation.findLast(({ role }) => role === 'user' || role === 'tool');
  if (last?.role === 'tool')
    throw invalid('a tool message requires metadata.thread_id, because it answers an interrupt');
  return { prompt: promptOf(last), conversation };
}

/** The answers of the tool messages at the end. */
function trailingAnswers(messages: Message[]): CallOutput[] {
  const lastOther = messages.findLastIndex(({ role }) => role !== 'tool');
  return messages.slice(lastOther + 1).map(({ tool_call_id: id, content }) => {
    if (id === undefined) throw invalid('a tool message requires tool_call_id');
    return { id, output: displayText(contentOf(content)) };
  });
}

function conversationMessage({ role, content, ...rest }: Message): ConversationMessage {
  return { ...rest, role: role === 'developer' ? 'system' : role, content: contentOf(content) };
}

/** Whether the message is plain text. The prompt then contains all of it, so no conversation is needed. */
function isPlainText(message: ConversationMessage | undefined): message is undefined {
  return typeof message?.content === 'string';
}

function promptOf(question: ConversationMessage | undefined): string {
  const prompt = question ? displayText(question.content ?? '') : '';
  if (prompt.trim() === '') throw invalid('expected a user message with content');
  return prompt;
}

function invalid(rule: string): SkeinError {
  return new SkeinError('INVALID_REQUEST', { detail: `messages: ${rule}` });
}
