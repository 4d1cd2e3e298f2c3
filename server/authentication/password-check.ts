/** Checks a username and password under the limits of failed logins. */
import type { Logger } from 'pino';
import type { MinuteCounters } from '../../state/callers/minute-counters.ts';
import { unauthorized } from '../http/errors/error-with-headers.ts';
import { limitAttempts } from './attempt-limits.ts';
import type { AuthenticationOptions } from './options.ts';
import { type Attempt, openPasswords } from './passwords.ts';

export interface PasswordCheck {
  knows(username: string): boolean;
  /** Throws UNAUTHORIZED for a wrong username or password, RATE_LIMITED, or OVERLOADED. */
  check(attempt: Attempt): Promise<void>;
}

export function openPasswordCheck(
  options: AuthenticationOptions,
  counters: MinuteCounters,
  log: Logger,
): PasswordCheck {
  const passwords = openPasswords(options, log);
  const limits = limitAttempts(counters, options.failed_logins_per_minute);
  // Parallel requests with the same credentials, such as those of a client with many connections, count as one attempt.
  const pending = new Map<string, Promise<boolean>>();

  async function verify(attempt: Attempt): Promise<boolean> {
    const { address, username, password } = attempt;
    const counted = await limits.begin(address, username, () => passwords.recognises(username, password));
    const isValid = await passwords.verify(attempt).catch(async (error) => {
      // OVERLOADED: the password was not compared.
      await counted.withdrawn();
      throw error;
    });
    if (isValid) await counted.succeeded();
    else log.warn({ audit: 'login_failed', user: known(username), address }, 'failed login');
    return isValid;
  }

  // Only usernames that exist are logged, because users also type passwords into the username field.
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
