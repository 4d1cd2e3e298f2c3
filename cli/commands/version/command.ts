/** `skein version`. */
import packageJson from '../../../package.json';
import { configurationError } from '../../../state/errors.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { print } from '../../terminal/print.ts';

/** Returns the exit code; throws CONFIGURATION_ERROR for a wrong command line. */
export async function versionCommand(argv: string[]): Promise<number> {
  if (takeFlags(argv, [], []).words.length > 0)
    throw configurationError('arguments', 'expected no arguments, as in skein version');
  print(packageJson.version);
  return 0;
}
