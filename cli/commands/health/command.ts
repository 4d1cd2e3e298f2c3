/** `skein health`: whether the service with these settings is ready, for containers and scripts. */
import { parseFlags } from '../../../settings/flags.ts';
import { loadSettings } from '../../../settings/load.ts';
import { configurationError } from '../../../state/errors.ts';
import { addressOf } from '../../service/connect.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { failed } from '../../terminal/plain-errors.ts';
import { print } from '../../terminal/print.ts';

const ANSWERS_WITHIN_MS = 5_000;

/** Returns the exit code: 0 if it is ready. Throws CONFIGURATION_ERROR. */
export async function healthCommand(argv: string[]): Promise<number> {
  const { words, rest } = takeFlags(argv, []);
  if (words.length > 0) throw configurationError('arguments', 'expected skein health [settings]');
  const { settings } = loadSettings({ cwd: process.cwd(), env: process.env, flags: parseFlags(rest) });
  const url = `${addressOf(settings.web_configuration)}/readyz`;
  const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
  // The certificate is for the public name, not for localhost.
  const tls = { rejectUnauthorized: false };
  try {
    const { status } = await fetch(url, { signal, tls, redirect: 'error' });
    if (status !== 200) return failed(`${url}: not ready, status ${status}`);
  } catch {
    return failed(`${url}: no answer`);
  }
  print(`${url}: ready`);
  return 0;
}
