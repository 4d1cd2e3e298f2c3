/** A conversation as the model gets it. */
import type { BaseMessage } from '@langchain/core/messages';
import { textOf } from '../state/conversation.ts';
import type { WireMessage } from './tools/model/endpoint.ts';

const ROLES: Record<string, WireMessage['role']> = { human: 'user', ai: 'assistant', system: 'system' };

/** The system prompt with the summary of what has left the window, then the window's messages as plain text. */
export function conversationMessages(
  system: string,
  summary: string,
  messages: BaseMessage[],
): WireMessage[] {
  const memory = summary === '' ? '' : `\n\nSummary of the earlier conversation:\n${summary}`;
  return [
    { role: 'system', content: system + memory },
    ...messages.map((message) => ({
      role: ROLES[message.getType()] ?? ('user' as const),
      content: textOf(message),
    })),
  ];
}
