/** Runs a few jobs at a time, each in its own slot. Other jobs wait in a queue. */
import { SkeinError } from '../../state/errors.ts';

export interface Pool<T> {
  /**
   * Throws OVERLOADED if the queue is full, the signal's reason, or what the job throws. `choose` returns the index of one of
   * several free slots. The most recently used slot is the last, and is the default, because its caches are warm.
   */
  use<R>(
    job: (slot: T) => Promise<R>,
    signal?: AbortSignal,
    choose?: (free: readonly T[]) => number,
  ): Promise<R>;
  /** Waiting jobs fail with SHUTTING_DOWN. */
  close(): void;
}

interface Waiting<T> {
  take(slot: T): void;
  refuse(error: unknown): void;
}

/** `jobs`: the name of the jobs in the error for a full queue. */
export function openPool<T>(slots: T[], { jobs, maxWaiting }: { jobs: string; maxWaiting: number }): Pool<T> {
  const free = [...slots];
  const line = new Set<Waiting<T>>();
  let closed = false;

  async function use<R>(
    job: (slot: T) => Promise<R>,
    signal?: AbortSignal,
    choose: (free: readonly T[]) => number = () => -1,
  ): Promise<R> {
    signal?.throwIfAborted();
    if (closed) throw new SkeinError('SHUTTING_DOWN');
    const [slot = await turn(signal)] = free.splice(choose(free), 1);
    try {
      return await job(slot);
    } finally {
      const [next] = line;
      if (next) {
        line.delete(next);
        next.take(slot);
      } else free.push(slot);
    }
  }

  function turn(signal: AbortSignal | undefined): Promise<T> {
    if (line.size >= maxWaiting)
      throw new SkeinError('OVERLOADED', { detail: `Too many ${jobs} are waiting`, retryAfter: 1 });
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const waiting = { take: resolve, refuse: reject };
    const abort = () => {
      line.delete(waiting);
      reject(signal?.reason);
    };
    line.add(waiting);
    signal?.addEventListener('abort', abort);
    return promise.finally(() => signal?.removeEventListener('abort', abort));
  }

  return {
    use,
    close() {
      closed = true;
      for (const { refuse } of line) refuse(new SkeinError('SHUTTING_DOWN'));
      line.clear();
    },
  };
}
