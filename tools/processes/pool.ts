/** Lets a few jobs at a time have a place each, and the others wait in line. */
import { SkeinError } from '../../state/errors.ts';

export interface Pool<T> {
  /**
   * Throws OVERLOADED where the line is full, the signal's reason, or what the job throws. Of several free places, the one
   * that was used last coming last, `choose` takes one by its index; default the last: it is the warm one.
   */
  use<R>(
    job: (place: T) => Promise<R>,
    signal?: AbortSignal,
    choose?: (free: readonly T[]) => number,
  ): Promise<R>;
  /** Whoever waits gets SHUTTING_DOWN. */
  close(): void;
}

interface Waiting<T> {
  take(place: T): void;
  refuse(error: unknown): void;
}

/** `jobs` is what they are called where too many wait. */
export function openPool<T>(
  places: T[],
  { jobs, maxWaiting }: { jobs: string; maxWaiting: number },
): Pool<T> {
  const free = [...places];
  const line = new Set<Waiting<T>>();
  let closed = false;

  async function use<R>(
    job: (place: T) => Promise<R>,
    signal?: AbortSignal,
    choose: (free: readonly T[]) => number = () => -1,
  ): Promise<R> {
    signal?.throwIfAborted();
    if (closed) throw new SkeinError('SHUTTING_DOWN');
    const [place = await turn(signal)] = free.splice(choose(free), 1);
    try {
      return await job(place);
    } finally {
      const [next] = line;
      if (next) {
        line.delete(next);
        next.take(place);
      } else free.push(place);
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
