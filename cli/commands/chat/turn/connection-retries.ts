/** How often a turn retries the connection to a service that does not answer, and a notice for the first failure. */
import type { Connection } from '../../../service/connect.ts';

/** At most half a minute; you can return to a longer turn with --thread. */
export const RETRY = { startAttempts: 4, rejoinAttempts: 8 };

/** Calls `notify` at the first failed attempt, unless the caller has stopped waiting. */
export function withFailureNotice(
  { fetch }: Connection,
  signal: AbortSignal,
  notify: () => void,
): Connection['fetch'] {
  let hasNotified = false;
  return async (to, init) => {
    try {
      return await fetch(to, init);
    } catch (error) {
      if (!hasNotified && !signal.aborted) notify();
      hasNotified = true;
      throw error;
    }
  };
}
