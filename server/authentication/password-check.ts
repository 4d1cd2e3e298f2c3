/** One name and password of a caller, checked under the limits of failed logins. */
import type { Logger } from 'pino';
import type { MinuteCounters } from '../../state/minute-counters.ts';
import { unauthorized } from '../http/refusals.ts';
import { limitAttempts } from './attempt-limits.ts';
import type { AuthenticationOptions } from './options.ts';
import { type Attempt, openPasswords } from './passwords.ts';

export interface PasswordCheck {
  knows(username: string): boolean;
  /** Throws UNAUTHORIZED, or RATE_LIMITED whatever the password. */
  check(attempt: Attempt): Promise<void>;
}

export function openPasswordCheck(
  options: AuthenticationOptions,
  counters: MinuteCounters,
  log: Logger,
): PasswordCheck {
  const passwords = openPasswords(options, log);
  const limits = limitAttempts(counters, options.failed_logins_per_minute);
  // A client that opens many connections at once with good credentials has made one attempt, not many.
  const pending = new Map<string, Promise<boolean>>();

  async function verify(attempt: Attempt): Promise<boolean> {
    const { address, username, password } = attempt;
    const counted = await limits.begin(address, username, () => passwords.recognises(username, password));
    const good = await passwords.verify(attempt).catch(async (error) => {
      // Nobody has looked at it: too many came at once.
      await counted.withdrawn();
      throw error;
    });
    if (good) await counted.succeeded();
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
