/** A conversation in a terminal: turns, what a thread waits for, and a few commands. */
import { SkeinApiError } from '../../client/api-error.ts';
import { StreamLostError } from '../../client/run-events.ts';
import { streamChat, streamResume } from '../../client/stream-chat.ts';
import type { Connection } from '../connect.ts';
import { refusalText } from '../refusal-text.ts';
import { shown } from '../terminal.ts';
import { answerTo, questionOf } from './interrupt.ts';
import type { Keyboard } from './keyboard.ts';
import { showTurn, type TurnEnd } from './turn.ts';
import type { Screen } from './voices.ts';

export interface Conversation {
  connection: Connection;
  workflow: string;
  threadId: string | undefined;
}

const HELP = `/new          begins a new thread
/thread [ID]  goes on with a thread, or says which one this is
/flow NAME    gives the thread to another workflow
/quit         ends; so do Ctrl-D and an empty line
Ctrl-C        cancels the turn
`;

/** Until the person ends it. */
export async function converse(start: Conversation, keyboard: Keyboard, screen: Screen): Promise<void> {
  const now = { ...start };
  for (;;) {
    const line = (await keyboard.ask('you> '))?.trim();
    if (!line || line === '/quit') return;
    if (line.startsWith('/')) command(now, line, screen);
    else await turn(now, line, { keyboard, screen });
  }
}

function command(now: Conversation, line: string, { write, style }: Screen): void {
  const [name, value] = line.split(/\s+/);
  if (name === '/new') {
    now.threadId = undefined;
    write(style.dim('the next message begins a new thread\n'));
  } else if (name === '/thread' && value) {
    now.threadId = value;
    write(style.dim(`the next message goes on with ${shown(value)}\n`));
  } else if (name === '/thread') write(`${shown(now.threadId ?? 'a new one, at the next message')}\n`);
  else if (name === '/flow' && value) {
    now.workflow = value;
    write(style.dim(`the next message goes to ${shown(value)}\n`));
  } else if (name === '/help') write(HELP);
  else write(style.bad(`There is no command ${shown(line)}\n`) + HELP);
}

interface Room {
  keyboard: Keyboard;
  screen: Screen;
}

/** Asks, and answers what the thread asks back, until it waits for nothing. */
async function turn(now: Conversation, prompt: string, { keyboard, screen }: Room): Promise<void> {
  const { connection } = now;
  const { url, headers, fetch } = connection;
  const request = { user_prompt: prompt, conversation_flow: now.workflow, thread_id: now.threadId };
  const run = (begin: (signal: AbortSignal) => Parameters<typeof showTurn>[0]) =>
    guarded(keyboard, screen, (signal) => showTurn(begin(signal), screen));
  let end = await run((signal) => streamChat(url, request, { headers, fetch, signal }));
  now.threadId = end?.threadId ?? now.threadId;
  while (end?.interrupt && now.threadId !== undefined) {
    screen.write(questionOf(end.interrupt.value));
    const answer = await keyboard.ask('answer> ');
    if (answer === undefined || answer.trim() === '') {
      screen.write(
        'The thread goes on waiting; answer it with a message later, or with skein chat --thread.\n',
      );
      return;
    }
    const value = answerTo(end.interrupt.value, answer);
    const threadId = now.threadId;
    end = await run((signal) => streamResume(url, threadId, { value }, { headers, fetch, signal }));
  }
}

/** Ctrl-C cancels the turn; what the service refuses is said, and the conversation goes on. */
async function guarded(
  keyboard: Keyboard,
  { write, style }: Screen,
  show: (signal: AbortSignal) => Promise<TurnEnd>,
): Promise<TurnEnd | undefined> {
  const stop = new AbortController();
  const release = keyboard.onInterrupt(() => stop.abort());
  try {
    return await show(stop.signal);
  } catch (error) {
    if (stop.signal.aborted) write(style.dim('cancelled\n'));
    else if (error instanceof SkeinApiError) write(style.bad(`${refusalText(error)}\n`));
    else if (error instanceof StreamLostError) write(style.bad(`${error.message}\n`));
    else throw error;
    return undefined;
  } finally {
    release();
  }
}
