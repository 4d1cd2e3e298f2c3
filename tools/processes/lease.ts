/** Keeps a slot of a pool after a job, for another job that follows soon. */
import type { Pool } from './pool.ts';

export interface Lease<T> {
  /** Runs a job; must be called for one job at a time. Throws the errors of `Pool.use` and of the job. */
  use<R>(job: (slot: T) => Promise<R>, signal?: AbortSignal): Promise<R>;
  /** Releases the slot immediately. */
  end(): void;
}

/** `idleMs`: how long the slot is kept without a job. `choose`: as in `Pool.use`. */
export function lease<T>(pool: Pool<T>, idleMs: number, choose: (free: readonly T[]) => number): Lease<T> {
  let held: { slot: T; release(): void } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function hold(signal: AbortSignal | undefined): Promise<{ slot: T; release(): void }> {
    const [taken, released] = [Promise.withResolvers<T>(), Promise.withResolvers<void>()];
    const holding = (slot: T) => {
      taken.resolve(slot);
      return released.promise;
    };
    pool.use(holding, signal, choose).catch(taken.reject);
    return { slot: await taken.promise, release: released.resolve };
  }

  function end(): void {
    clearTimeout(timer);
    held?.release();
    held = undefined;
  }

  return {
    async use(job, signal) {
      clearTimeout(timer);
      held ??= await hold(signal);
      try {
        return await job(held.slot);
      } finally {
        timer = setTimeout(end, idleMs);
        timer.unref();
      }
    },
    end,
  };
}
