/** What the messages of a request ask: a turn, or to go on with an interrupt. */

import { SkeinError } from '../../../state/errors.ts';
import type { ConversationMessage } from '../../../state/runs.ts';
import { contentOf, shownText } from '../content.ts';
import type { CallAnswer } from '../interrupt-calls.ts';
import type { Message } from './schema.ts';

export type Asked =
  | { prompt: string; conversation: ConversationMessage[] | undefined }
  | { threadId: string; answers: CallAnswer[] };

/** On a thread, which has what was said before. Throws INVALID_REQUEST. */
export function askedOnThread(messages: Message[], threadId: string): Asked {
  const last = messages.findLast(({ role }) => role === 'user' || role === 'tool');
  if (last?.role === 'tool') return { threadId, answers: answersAtEnd(messages) };
  const question = last && conversationMessage(last);
  return { prompt: promptOf(question), conversation: isText(question) ? undefined : [question] };
}

/** Of a conversation that the client keeps. Throws INVALID_REQUEST. */
export function askedInWhole(messages: Message[]): Extract<Asked, { prompt: string }> {
  const conversation = messages.map(conversationMessage);
  const last = conversation.findLast(({ role }) => role === 'user' || role === 'tool');
  if (last?.role === 'tool')
    throw invalid('a tool message answers an interrupt, which takes metadata.thread_id');
  return { prompt: promptOf(last), conversation };
}

function answersAtEnd(messages: Message[]): CallAnswer[] {
  const asks = messages.findLastIndex(({ role }) => role !== 'tool');
  return messages.slice(asks + 1).map(({ tool_call_id: id, content }) => {
    if (id === undefined) throw invalid('a tool message has a tool_call_id');
    return { id, output: shownText(contentOf(content)) };
  });
}

function conversationMessage({ role, content, ...rest }: Message): ConversationMessage {
  return { ...rest, role: role === 'developer' ? 'system' : role, content: contentOf(content) };
}

function isText(message: ConversationMessage | undefined): message is undefined {
  return typeof message?.content === 'string';
}

function promptOf(question: ConversationMessage | undefined): string {
  const prompt = question ? shownText(question.content ?? '') : '';
  if (prompt.trim() === '') throw invalid('expected a user message with content');
  return prompt;
}

function invalid(rule: string): SkeinError {
  return new SkeinError('INVALID_REQUEST', { detail: `messages: ${rule}` });
}
