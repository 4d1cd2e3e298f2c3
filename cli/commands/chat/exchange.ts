/** One exchange of a terminal conversation: the start of a turn, the turn, and the questions that the thread asks. */
import { streamChat } from '../../../client/stream-chat.ts';
import type { Connection } from '../../service/connect.ts';
import { askPerson } from './interrupt/ask-person.ts';
import { waits } from './interrupt/waiting.ts';
import { guardedTurn, type Terminal } from './turn/guarded-turn.ts';

export interface Conversation {
  connection: Connection;
  workflow: string;
  threadId: string | undefined;
}

export type TurnInput = { user_prompt: string } | { input: unknown };

/** Returns the thread, a new one if there was none. */
export async function exchange(
  now: Conversation,
  input: TurnInput,
  terminal: Terminal,
): Promise<string | undefined> {
  const { connection, workflow, threadId } = now;
  const request = { ...input, conversation_flow: workflow, thread_id: threadId };
  const end = await guardedTurn(connection, terminal, (options) =>
    streamChat(connection.url, request, options),
  );
  const thread = end?.threadId ?? threadId;
  if (end && thread !== undefined && waits(end.waiting))
    await askPerson(connection, { thread, waiting: end.waiting }, terminal);
  return thread;
}
