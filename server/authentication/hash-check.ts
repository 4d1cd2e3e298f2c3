/**
 * Compares passwords with their hashes, one at a time. Each comparison occupies a thread of Bun's pool, which also reads and
 * syncs files and may have only two threads: with both occupied, reading a file took 200 ms instead of 0.1 ms.
 */
import { SkeinError } from '../../state/errors.ts';

export type Verify = (password: string, hash: string) => Promise<boolean>;

/** Throws OVERLOADED if too many comparisons are waiting, in total or from this address. */
export type HashCheck = (address: string, ...compared: Parameters<Verify>) => Promise<boolean>;

const MAX_WAITING = 64;
// Keeps one address from filling the queue.
const MAX_PER_ADDRESS = 32;

export function createHashCheck(verify: Verify = Bun.password.verify): HashCheck {
  let busy = false;
  const queue: { address: string; start(): void }[] = [];

  async function acquire(address: string): Promise<void> {
    if (!busy) {
      busy = true;
      return;
    }
    const ofAddress = queue.filter((one) => one.address === address).length;
    if (queue.length >= MAX_WAITING || ofAddress >= MAX_PER_ADDRESS)
      throw new SkeinError('OVERLOADED', { retryAfter: 1 });
    await new Promise<void>((start) => queue.push({ address, start }));
  }

  return async (address, ...compared) => {
    await acquire(address);
    try {
      return await verify(...compared);
    } finally {
      const next = queue.shift();
      if (next) next.start();
      else busy = false;
    }
  };
}
