/** A turn that a person watches: Ctrl-C cancels it, and its errors don't end the conversation. */
import { SkeinApiError } from '../../../../client/api-error.ts';
import { StreamLostError } from '../../../../client/run-events.ts';
import type { StartOptions } from '../../../../client/stream-chat.ts';
import type { Connection } from '../../../service/connect.ts';
import type { Keyboard } from '../../../terminal/keyboard.ts';
import { refusalText } from '../../../terminal/refusal-text.ts';
import type { Screen } from './agent-texts.ts';
import { RETRY, withFailureNotice } from './connection-retries.ts';
import { showTurn, type TurnEnd } from './turn.ts';

export interface Terminal {
  keyboard: Keyboard;
  screen: Screen;
}

/** Undefined if the turn was cancelled, rejected or lost; the reason has been printed. */
export async function guardedTurn(
  connection: Connection,
  { keyboard, screen }: Terminal,
  begin: (options: StartOptions) => Parameters<typeof showTurn>[0],
): Promise<TurnEnd | undefined> {
  const { write, style } = screen;
  const stop = new AbortController();
  const release = keyboard.onInterrupt(() => stop.abort());
  const { signal } = stop;
  const tell = () => write(style.dim('\nthe service does not answer; retrying, press Ctrl-C to stop\n'));
  const fetch = withFailureNotice(connection, signal, tell);
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
