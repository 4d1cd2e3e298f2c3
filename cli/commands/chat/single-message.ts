/** One message for scripts: a turn that is followed to its end, and its answer on standard output. */
import type { RunStreamEvent } from '../../../client/run-events.ts';
import { type StartOptions, streamChat, streamResume } from '../../../client/stream-chat.ts';
import type { ChatResponse } from '../../../server/chat/schema.ts';
import type { Connection } from '../../service/connect.ts';
import { print } from '../../terminal/print.ts';
import { type Style, shown } from '../../terminal/style.ts';
import type { FoundThread } from './conversation.ts';
import { answerTo, waitingText } from './interrupt.ts';
import { outcomeOf } from './outcome.ts';
import { RETRY, telling } from './patience.ts';
import { exitCodeOf, onEnd } from './signals.ts';

export interface SingleMessage {
  connection: Connection;
  workflow: string;
  threadId: string | undefined;
  /** Undefined if there is none yet. */
  thread: FoundThread | undefined;
  message: string;
  isJson: boolean;
  /** That of standard error. */
  style: Style;
}

/** Gives the exit code; throws as `outcomeOf` does. A signal cancels the turn. */
export async function sendMessage(single: SingleMessage): Promise<number> {
  const { connection, threadId, thread, message, isJson, style } = single;
  if (threadId !== undefined && !thread) console.error(style.dim(`a new thread: ${shown(threadId)}`));
  // Nothing is no answer: it would approve.
  if (threadId !== undefined && thread?.interrupt && message.trim() === '') {
    console.error(waitingText(thread.interrupt.value, threadId));
    return 1;
  }
  const stop = new AbortController();
  const release = onEnd((signal) => stop.abort(signal));
  try {
    const events = eventsOf(single, stop.signal);
    const response = await outcomeOf({ events, threadId, url: connection.url });
    if (isJson) print(JSON.stringify(response));
    else tellAnswer(response);
    return 0;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    console.error(style.dim('cancelled'));
    return exitCodeOf(stop.signal.reason);
  } finally {
    release();
  }
}

// Nobody sits there to ask again: a start is waited for as long as a turn.
const PATIENCE = { ...RETRY, startAttempts: RETRY.rejoinAttempts };

/** To a thread that waits for a person, the message is the answer. */
function eventsOf(single: SingleMessage, signal: AbortSignal): AsyncIterable<RunStreamEvent> {
  const { connection, workflow, threadId, thread, message, style } = single;
  const { url, headers } = connection;
  const tell = () => console.error(style.dim('the service does not answer; trying again, until Ctrl-C'));
  const fetch = telling(connection, signal, tell);
  const options: StartOptions = { headers, fetch, signal, retry: PATIENCE };
  if (threadId !== undefined && thread?.interrupt) {
    return streamResume(url, threadId, { value: answerTo(thread.interrupt.value, message) }, options);
  }
  const request = { user_prompt: message, conversation_flow: workflow, thread_id: threadId };
  return streamChat(url, request, options);
}

function tellAnswer({ agent_response, interrupt, thread_id }: ChatResponse): void {
  if (agent_response !== '' || !interrupt) print(shown(agent_response));
  if (interrupt) console.error(waitingText(interrupt.value, thread_id));
}
