/** One name and password of a caller, checked under the limit of failed logins. */
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { AuthenticationOptions } from '../authentication-options.ts';
import { countByMinute } from '../minute-windows.ts';
import { openPasswords } from './passwords.ts';
import { unauthorized } from './refusals.ts';

export interface Attempt {
  address: string;
  username: string;
  password: string;
}

export interface PasswordCheck {
  knows(username: string): boolean;
  /** Throws UNAUTHORIZED, or RATE_LIMITED whatever the password. */
  check(attempt: Attempt): Promise<void>;
}

export function openPasswordCheck(options: AuthenticationOptions, log: Logger): PasswordCheck {
  const passwords = openPasswords(options, log);
  const failed = countByMinute(options.failed_logins_per_minute);
  // A client that opens many connections at once with good credentials has made one attempt, not many.
  const pending = new Map<string, Promise<boolean>>();

  async function verify({ address, username, password }: Attempt): Promise<boolean> {
    // Names come from anybody, and are as long as they like: many of them must not fill the memory.
    const pair = createHash('sha256')
      .update(JSON.stringify([address, username]))
      .digest('base64');
    // Counted before it is looked at, so that parallel attempts count too.
    failed.take(pair, 'too many failed logins');
    const good = await passwords.verify(username, password).catch((error) => {
      // Nobody has looked at it: too many came at once.
      failed.giveBack(pair);
      throw error;
    });
    if (good) failed.forget(pair);
    else log.warn({ audit: 'login_failed', user: known(username), address }, 'failed login');
    return good;
  }

  // People type passwords into the field of the name: only names that exist are written down.
  const known = (username: string) => (passwords.knows(username) ? username : null);

  return {
    knows: passwords.knows,
    async check(attempt) {
      const key = JSON.stringify([attempt.address, attempt.username, attempt.password]);
      const checking = pending.get(key) ?? verify(attempt).finally(() => pending.delete(key));
      pending.set(key, checking);
      if (!(await checking)) throw unauthorized();
    },
  };
}
