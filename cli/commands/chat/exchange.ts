/** One exchange of a terminal conversation: a message, its turn, and what the thread asks back. */
import { SkeinApiError } from '../../../client/api-error.ts';
import { StreamLostError } from '../../../client/run-events.ts';
import { streamChat, streamResume } from '../../../client/stream-chat.ts';
import type { Connection } from '../../service/connect.ts';
import { refusalText } from '../../terminal/refusal-text.ts';
import { answerTo, questionOf } from './interrupt.ts';
import type { Keyboard } from './keyboard.ts';
import { RETRY, telling } from './patience.ts';
import { showTurn, type TurnEnd } from './turn.ts';
import type { Screen } from './voices.ts';

export interface Conversation {
  connection: Connection;
  workflow: string;
  threadId: string | undefined;
}

export interface Room {
  keyboard: Keyboard;
  screen: Screen;
}

/** Gives the thread, which is new where there was none. */
export async function exchange(now: Conversation, prompt: string, room: Room): Promise<string | undefined> {
  const { connection, workflow, threadId } = now;
  const request = { user_prompt: prompt, conversation_flow: workflow, thread_id: threadId };
  const end = await guarded(connection, room, (options) => streamChat(connection.url, request, options));
  const thread = end?.threadId ?? threadId;
  if (end?.interrupt && thread !== undefined) await answer(connection, { thread, ...end.interrupt }, room);
  return thread;
}

interface Waiting {
  thread: string;
  value: unknown;
}

/** Asks what a thread asks, until it waits for nothing or the person has no answer. */
export async function answer(connection: Connection, waiting: Waiting, room: Room): Promise<void> {
  const { keyboard, screen } = room;
  for (let asked: unknown = waiting.value; ; ) {
    screen.write(questionOf(asked));
    const words = await keyboard.ask('answer> ');
    if (words === undefined || words.trim() === '') {
      screen.write('The thread goes on waiting; /thread and its ID, or skein chat --thread, asks again.\n');
      return;
    }
    const value = answerTo(asked, words);
    const end = await guarded(connection, room, (options) =>
      streamResume(connection.url, waiting.thread, { value }, options),
    );
    if (!end?.interrupt) return;
    asked = end.interrupt.value;
  }
}

/** Ctrl-C cancels the turn; what the service refuses is said, and the conversation goes on. */
async function guarded(
  connection: Connection,
  { keyboard, screen }: Room,
  begin: (options: Parameters<typeof streamChat>[2]) => Parameters<typeof showTurn>[0],
): Promise<TurnEnd | undefined> {
  const { write, style } = screen;
  const stop = new AbortController();
  const release = keyboard.onInterrupt(() => stop.abort());
  const { signal } = stop;
  const tell = () => write(style.dim('\nthe service does not answer; trying again, until Ctrl-C\n'));
  const fetch = telling(connection, signal, tell);
  try {
    return await showTurn(begin({ headers: connection.headers, fetch, signal, retry: RETRY }), screen);
  } catch (error) {
    if (signal.aborted) write(style.dim('cancelled\n'));
    else if (error instanceof SkeinApiError) write(style.bad(`${refusalText(error)}\n`));
    else if (error instanceof StreamLostError) write(style.bad(`${error.message}\n`));
    else throw error;
    return undefined;
  } finally {
    release();
  }
}
