/** One turn for scripts: followed to its end, and its answer on standard output. */
import type { RunStreamEvent } from '../../../../client/run-events.ts';
import type { StartOptions } from '../../../../client/stream-chat.ts';
import type { ChatResponse } from '../../../../server/chat/schema.ts';
import type { Connection } from '../../../service/connect.ts';
import { print } from '../../../terminal/print.ts';
import { exitCodeOf, onEnd } from '../../../terminal/signals.ts';
import { type Style, shown } from '../../../terminal/style.ts';
import { waitingText, waits } from '../interrupt/waiting.ts';
import { RETRY, withFailureNotice } from './connection-retries.ts';
import { outcomeOf } from './outcome.ts';

export interface OneTurn {
  connection: Connection;
  threadId: string | undefined;
  /** Prints the whole response. */
  isJson: boolean;
  /** The style of standard error. */
  style: Style;
  begin(options: StartOptions): AsyncIterable<RunStreamEvent>;
}

// Scripts cannot ask again, so wait as long for the start as for the turn.
const RETRY_START = { ...RETRY, startAttempts: RETRY.rejoinAttempts };

/** Returns the exit code; throws as `outcomeOf` does. A signal cancels the turn. */
export async function printTurn({ connection, threadId, isJson, style, begin }: OneTurn): Promise<number> {
  const stop = new AbortController();
  const { signal } = stop;
  const release = onEnd((ended) => stop.abort(ended));
  try {
    const { url, headers } = connection;
    const tell = () =>
      console.error(style.dim('the service does not answer; retrying, press Ctrl-C to stop'));
    const fetch = withFailureNotice(connection, signal, tell);
    const events = begin({ headers, fetch, signal, retry: RETRY_START });
    const response = await outcomeOf({ events, threadId, url });
    if (isJson) print(JSON.stringify(response));
    else tellAnswer(response);
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    console.error(style.dim('cancelled'));
    return exitCodeOf(signal.reason);
  } finally {
    release();
  }
}

function tellAnswer(response: ChatResponse): void {
  const { agent_response, thread_id } = response;
  if (agent_response !== '' || !waits(response)) print(shown(agent_response));
  if (waits(response)) console.error(waitingText(response, thread_id));
}
