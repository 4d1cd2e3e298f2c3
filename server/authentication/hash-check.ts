/** Compares passwords with their hashes, few at once: the threads that do it also sync the state file. */
import { SkeinError } from '../../state/errors.ts';

export type HashCheck = (password: string, hash: string) => Promise<boolean>;

const AT_ONCE = 2;
// At a tenth of a second each, the last of them waits three seconds.
const MAX_WAITING = 64;

/** Throws OVERLOADED where too many wait already. */
export function createHashCheck(verify: HashCheck = Bun.password.verify): HashCheck {
  let running = 0;
  const waiting: (() => void)[] = [];

  return async (password, hash) => {
    if (running < AT_ONCE) running++;
    else if (waiting.length >= MAX_WAITING) throw new SkeinError('OVERLOADED', { retryAfter: 1 });
    // Whoever ends hands its place on.
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await verify(password, hash);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
