/** Tracks the requests in flight, so that the shutdown closes the resources they use only after they have ended. */
import { SkeinError } from '../state/errors.ts';

export interface OpenRequests {
  /** Throws SHUTTING_DOWN after `close`. */
  check(): void;
  /** Counts a request whose body has arrived. Throws SHUTTING_DOWN after `close`. */
  enter(request: Request): void;
  /** Must be called when the request has its response. */
  leave(request: Request): void;
  /** Rejects new requests. Resolves when the open requests have ended, after `milliseconds` at most. */
  close(milliseconds: number): Promise<void>;
}

export function openRequests(): OpenRequests {
  const open = new Set<Request>();
  let closed: PromiseWithResolvers<void> | undefined;

  function check(): void {
    if (closed) throw new SkeinError('SHUTTING_DOWN', { retryAfter: 5 });
  }

  return {
    check,
    enter(request) {
      check();
      open.add(request);
    },
    leave(request) {
      if (open.delete(request) && open.size === 0) closed?.resolve();
    },
    async close(milliseconds) {
      closed ??= Promise.withResolvers<void>();
      if (open.size === 0) return;
      const timer = setTimeout(closed.resolve, milliseconds);
      await closed.promise;
      clearTimeout(timer);
    },
  };
}
