/** The requests that are being answered: what they use is closed only when they are done. */
import { SkeinError } from '../state/errors.ts';

export interface OpenRequests {
  /** Throws SHUTTING_DOWN after `close`. */
  check(): void;
  /** Counts a request that has arrived whole. Throws SHUTTING_DOWN after `close`. */
  enter(request: Request): void;
  /** The request has been answered. */
  leave(request: Request): void;
  /** Refuses new requests; resolves when the open ones are answered, `milliseconds` later at most. */
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
