/** `skein keys create`: creates an API key and its entry for the settings, which hold only its digest. */
import { createHash, randomBytes } from 'node:crypto';
import { configurationError } from '../../../state/errors.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { print } from '../../terminal/print.ts';

const USAGE = 'expected create NAME, as in skein keys create nightly-report';

/** Returns the exit code; throws CONFIGURATION_ERROR for a wrong command line. */
export async function keysCommand(argv: string[]): Promise<number> {
  const [action, name, ...more] = takeFlags(argv, [], []).words;
  if (action !== 'create' || !name || more.length > 0) throw configurationError('arguments', USAGE);
  const key = `skein_${randomBytes(32).toString('base64url')}`;
  const sha256 = createHash('sha256').update(key).digest('hex');
  console.error('The key, shown only once:');
  print(key);
  console.error('For the settings, under web_configuration.authentication:');
  print(`api_keys:\n  - name: ${JSON.stringify(name)}\n    sha256: "${sha256}"`);
  return 0;
}
