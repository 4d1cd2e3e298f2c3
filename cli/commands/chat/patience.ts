/** How long a turn whose service is gone is waited for, and how the person who waits is told. */
import type { Connection } from '../../service/connect.ts';

/** Half a minute at most: what goes on longer is found again with --thread. */
export const RETRY = { startAttempts: 4, rejoinAttempts: 8 };

/** Calls `tell` the first time that there is no answer, unless nobody waits any more. */
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
