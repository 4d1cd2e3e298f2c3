/** `skein health`: whether the service of these settings takes requests, for containers and scripts. */
import { parseFlags } from '../../../settings/flags.ts';
import { loadSettings } from '../../../settings/load.ts';
import { configurationError } from '../../../state/errors.ts';
import { addressOf } from '../../service/connect.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { failed } from '../../terminal/plain-errors.ts';
import { print } from '../../terminal/print.ts';

const ANSWERS_WITHIN_MS = 5_000;

/** Gives the exit code: 0 where it is ready. Throws CONFIGURATION_ERROR. */
export async function healthCommand(argv: string[]): Promise<number> {
  const { words, rest } = takeFlags(argv, []);
  if (words.length > 0) throw configurationError('arguments', 'expected skein health [settings]');
  const { settings } = loadSettings({ cwd: process.cwd(), env: process.env, flags: parseFlags(rest) });
  const url = `${addressOf(settings.web_configuration)}/readyz`;
  const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
  // The certificate is for the name that others call it by.
  const tls = { rejectUnauthorized: false };
  try {
    const { status } = await fetch(url, { signal, tls, redirect: 'error' });
    if (status !== 200) return failed(`${url}: not ready, it answers ${status}`);
  } catch {
    return failed(`${url}: no service answers`);
  }
  print(`${url}: ready`);
  return 0;
}
