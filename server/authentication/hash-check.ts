/**
 * Compares passwords with their hashes, one at a time: each occupies a thread of the pool that reads and syncs files. The pool
 * may have two threads: with both taken, reading a file takes 200 ms rather than 0.1.
 */
import { SkeinError } from '../../state/errors.ts';

export type Verify = (password: string, hash: string) => Promise<boolean>;

/** Throws OVERLOADED where too many wait already, in all or from this address. */
export type HashCheck = (address: string, ...compared: Parameters<Verify>) => Promise<boolean>;

const MAX_WAITING = 64;
// So that one address cannot take every place.
const MAX_PER_ADDRESS = 32;

export function createHashCheck(verify: Verify = Bun.password.verify): HashCheck {
  let busy = false;
  const waiting: { address: string; start(): void }[] = [];

  async function turn(address: string): Promise<void> {
    if (!busy) {
      busy = true;
      return;
    }
    const theirs = waiting.filter((one) => one.address === address).length;
    if (waiting.length >= MAX_WAITING || theirs >= MAX_PER_ADDRESS)
      throw new SkeinError('OVERLOADED', { retryAfter: 1 });
    await new Promise<void>((start) => waiting.push({ address, start }));
  }

  return async (address, ...compared) => {
    await turn(address);
    try {
      return await verify(...compared);
    } finally {
      const next = waiting.shift();
      if (next) next.start();
      else busy = false;
    }
  };
}
