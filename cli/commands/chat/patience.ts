/** How long a turn waits for a service that does not answer, and when the person is told. */
import type { Connection } from '../../service/connect.ts';

/** At most half a minute; you can return to a longer turn with --thread. */
export const RETRY = { startAttempts: 4, rejoinAttempts: 8 };

/** Calls `tell` at the first failed attempt, unless the caller has stopped waiting. */
export function telling({ fetch }: Connection, signal: AbortSignal, tell: () => void): Connection['fetch'] {
  let isTold = false;
  return async (to, init) => {
    try {
      return await fetch(to, init);
    } catch (error) {
      if (!isTold && !signal.aborted) tell();
      isTold = true;
      throw error;
    }
  };
}
