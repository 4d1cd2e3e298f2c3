/** One message for scripts; if the thread waits for a person, the message is the answer. */
import { streamChat, streamResume } from '../../../client/stream-chat.ts';
import { shown } from '../../terminal/style.ts';
import type { FoundThread } from './conversation.ts';
import { answerIn, waitingText, waits } from './interrupt/waiting.ts';
import { type OneTurn, printTurn } from './turn/one-turn.ts';

export interface SingleMessage extends Omit<OneTurn, 'begin'> {
  workflow: string;
  /** Undefined if the thread does not exist yet. */
  thread: FoundThread | undefined;
  message: string;
}

/** Returns the exit code; throws as `printTurn` does. */
export async function sendMessage(single: SingleMessage): Promise<number> {
  const { connection, workflow, threadId, thread, message, style } = single;
  const { url } = connection;
  if (threadId === undefined || !thread || !waits(thread)) {
    if (threadId !== undefined && !thread) console.error(style.dim(`a new thread: ${shown(threadId)}`));
    const request = { user_prompt: message, conversation_flow: workflow, thread_id: threadId };
    return printTurn({ ...single, begin: (options) => streamChat(url, request, options) });
  }
  const answer = answerIn(thread, message);
  if (answer)
    return printTurn({ ...single, begin: (options) => streamResume(url, threadId, answer, options) });
  console.error(waitingText(thread, threadId));
  return 1;
}
