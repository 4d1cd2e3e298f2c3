/** Password checks: the failed attempts and the memory that they leave behind. */
import { heapStats } from 'bun:jsc';
import { expect, test } from 'bun:test';
import pino from 'pino';
import type { AuthenticationOptions } from '../../../server/authentication/options.ts';
import { openPasswordCheck, type PasswordCheck } from '../../../server/authentication/password-check.ts';
import { WebOptions } from '../../../server/options.ts';
import { localCounters } from '../../../state/callers/minute-counters.ts';
import { checkOptions } from '../../../state/schema/check-options.ts';

const options: AuthenticationOptions = checkOptions(
  WebOptions,
  { authentication: { enable: true, username: 'ann', password: 'secret', failed_logins_per_minute: 1 } },
  'web_configuration',
).authentication;

const heap = () => {
  Bun.gc(true);
  return heapStats().heapSize;
};

// Cheap, so that thousands of attempts take little time.
const hashing = { algorithm: 'argon2id', memoryCost: 64, timeCost: 2 } as const;
const password_hash = Bun.password.hashSync('secret', hashing);
const users = Array.from({ length: 66 }, (_, n) => ({ username: `bob ${n}`, password_hash }));
// One address per attempt, because the limit per address would reject attempts before the comparison.
const addressOf = (n: number) => `10.0.${n >> 8}.${n & 255}`;

/** Makes enough attempts that the next one is rejected immediately. Returns their outcomes. */
function flood({ check }: PasswordCheck): Promise<unknown[]> {
  const attempts = users
    .slice(1)
    .map(({ username }, n) => check({ address: addressOf(n), username, password: 'x' }));
  return Promise.all(attempts.map((attempt) => attempt.catch(({ code }) => code)));
}

test('a password that was not compared does not count as a failed one', async () => {
  const passwords = openPasswordCheck({ ...options, users }, localCounters(), pino({ level: 'silent' }));
  const over = flood(passwords);
  const good = { address: '127.0.0.1', username: 'bob 0', password: 'secret' };
  for (let tries = 0; tries < 3; tries++)
    expect(await passwords.check(good).catch(({ code }) => code)).toBe('OVERLOADED');
  expect(new Set(await over)).toEqual(new Set(['UNAUTHORIZED']));
  expect(await passwords.check(good)).toBeUndefined();
}, 60_000);

test('a hash that cannot be checked rejects its user, and the log names the user but not the hash', async () => {
  // It has the form of a hash, but argon2id needs at least one pass.
  const hash = '$argon2id$v=19$m=8,t=0,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA';
  let text = '';
  const log = pino({ level: 'error' }, { write: (line: string) => (text += line) });
  const passwords = openPasswordCheck(
    { ...options, users: [{ username: 'bob', password_hash: hash }] },
    localCounters(),
    log,
  );
  const attempt = { address: '127.0.0.1', username: 'bob', password: 'secret' };
  expect(await passwords.check(attempt).catch(({ code }) => code)).toBe('UNAUTHORIZED');
  expect(JSON.parse(text)).toMatchObject({ msg: 'the password hash of a user is invalid', user: 'bob' });
  expect(text).not.toContain(hash);
});

test('many attempts with long unknown usernames keep no memory for the names', async () => {
  const passwords = openPasswordCheck({ ...options, users }, localCounters(), pino({ level: 'silent' }));
  const stranger = (n: number) => ({
    address: addressOf(n),
    username: `${n} ${'x'.repeat(20_000)}`,
    password: 'x',
  });
  // The first attempt waits for the hash of unknown usernames; the others are rejected because too many wait.
  await passwords.check(stranger(0)).catch(() => {});
  const before = heap();
  const attempts = 4_000;
  const over = flood(passwords);
  for (let n = 1; n <= attempts; n++) void passwords.check(stranger(n)).catch(() => {});
  await over;
  const taken = heap() - before;
  // Still used here, so that it is not collected.
  expect(passwords.knows('bob 0')).toBe(true);
  expect(taken).toBeLessThan((attempts * 20_000) / 4);
}, 60_000);

test('an unknown username is rejected as fast as the cheap password of a user', async () => {
  const passwords = openPasswordCheck({ ...options, users }, localCounters(), pino({ level: 'silent' }));
  const quickest = async (username: string) => {
    const times: number[] = [];
    for (let n = 0; n < 10; n++) {
      const started = performance.now();
      await passwords.check({ address: addressOf(n), username, password: `x${n}` }).catch(() => {});
      times.push(performance.now() - started);
    }
    return Math.min(...times);
  };
  // A hash with the default cost takes more than a thousand times as long.
  expect(await quickest('nobody')).toBeLessThan(200 * (await quickest('bob 0')));
});
