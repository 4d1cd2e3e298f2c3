/** `skein users hash`: prints a user's entry for the settings, with the password's hash. */
import { configurationError } from '../../../state/errors.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { print } from '../../terminal/print.ts';
import { readSecret } from '../../terminal/read-secret.ts';

const USAGE = 'expected hash NAME, as in skein users hash bob; the password comes from standard input';

/** Returns the exit code; throws CONFIGURATION_ERROR for a wrong command line or an empty password. */
export async function usersCommand(argv: string[]): Promise<number> {
  const [action, name, ...more] = takeFlags(argv, [], []).words;
  if (action !== 'hash' || !name || more.length > 0) throw configurationError('arguments', USAGE);
  if (name.includes(':')) throw configurationError('arguments', 'expected a name without a colon');
  const password = await readSecret(`Password of ${name}: `);
  if (password === '') throw configurationError('password', 'expected a password on standard input');
  // Basic authentication cannot transmit control characters.
  if (/\p{Cc}/u.test(password)) throw configurationError('password', 'expected no control characters');
  const hash = await Bun.password.hash(password, 'argon2id');
  print(`users:\n  - username: ${JSON.stringify(name)}\n    password_hash: "${hash}"`);
  return 0;
}
