/** Checked names and passwords: what attempts leave behind. */
import { heapStats } from 'bun:jsc';
import { expect, test } from 'bun:test';
import pino from 'pino';
import { openPasswordCheck } from '../../../server/authentication/password-check.ts';
import type { AuthenticationOptions } from '../../../server/authentication-options.ts';
import { WebOptions } from '../../../server/options.ts';
import { checkOptions } from '../../../state/check-options.ts';

const options: AuthenticationOptions = checkOptions(
  WebOptions,
  { authentication: { enable: true, username: 'ann', password: 'secret', failed_logins_per_minute: 1 } },
  'web_configuration',
).authentication;

const heap = () => {
  Bun.gc(true);
  return heapStats().heapSize;
};

test('a flood of long names that nobody has takes no room for the names', async () => {
  const { check } = openPasswordCheck(options, pino({ level: 'silent' }));
  const before = heap();
  const attempts = 4_000;
  for (let n = 0; n < attempts; n++) {
    const username = `${n} ${'x'.repeat(20_000)}`;
    // The first of them wait for their turn; the others are refused at once.
    void check({ address: '127.0.0.1', username, password: 'x' }).catch(() => {});
  }
  await Bun.sleep(0);
  expect(heap() - before).toBeLessThan((attempts * 20_000) / 4);
});
