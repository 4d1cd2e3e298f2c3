/** Limits on failed logins: which attempts count for a username and for an address, and which callers are exempt. */
import { expect, test } from 'bun:test';
import { type AttemptLimits, limitAttempts } from '../../../server/authentication/attempt-limits.ts';
import { localCounters } from '../../../state/callers/minute-counters.ts';

const HERE = '10.0.0.1';

/** Makes a failed attempt. Returns the reason if it was rejected before the password check. */
async function fail(limits: AttemptLimits, address: string, username: string, recognised = false) {
  try {
    await limits.begin(address, username, () => recognised);
    return undefined;
  } catch (error) {
    return (error as { detail: string }).detail;
  }
}

async function exhaust(limits: AttemptLimits, address: string, attempts: number): Promise<void> {
  for (let n = 0; n < attempts; n++) expect(await fail(limits, address, `made-up ${n}`)).toBeUndefined();
}

const NAME = 'too many failed logins';
const ADDRESS = 'too many failed logins from this address';

test('a username has a limit per address, and an address has ten times that limit over all usernames', async () => {
  const limits = limitAttempts(localCounters(), 2);
  const outcomes = [];
  for (let n = 0; n < 3; n++) outcomes.push(await fail(limits, HERE, 'ann'));
  expect(outcomes).toEqual([undefined, undefined, NAME]);
  await exhaust(limits, HERE, 18);
  expect(await fail(limits, HERE, 'another')).toBe(ADDRESS);
  expect(await fail(limits, '10.0.0.2', 'another')).toBeUndefined();
});

test('successes and attempts without a password check do not count for an address', async () => {
  const limits = limitAttempts(localCounters(), 1);
  for (let n = 0; n < 50; n++) {
    await (await limits.begin(HERE, `user ${n}`, () => false)).succeeded();
    await (await limits.begin(HERE, `other ${n}`, () => false)).withdrawn();
  }
  await exhaust(limits, HERE, 10);
  expect(await fail(limits, HERE, 'another')).toBe(ADDRESS);
});

test('at an exhausted address, a username that has logged in there before can still log in with the right password', async () => {
  const limits = limitAttempts(localCounters(), 2);
  await (await limits.begin(HERE, 'ann', () => false)).succeeded();
  await exhaust(limits, HERE, 20);
  expect(await fail(limits, HERE, 'ann', true)).toBeUndefined();
  // A wrong password gets the same response as an unknown username.
  expect(await fail(limits, HERE, 'ann')).toBe(ADDRESS);
  expect(await fail(limits, HERE, 'bob', true)).toBe(ADDRESS);
  expect(await fail(limits, HERE, 'made-up')).toBe(ADDRESS);
});

test('of more than ten thousand usernames that have logged in, the one whose login is the oldest is forgotten', async () => {
  const limits = limitAttempts(localCounters(), 2);
  const logIn = async (n: number) => (await limits.begin(HERE, `user ${n}`, () => false)).succeeded();
  for (let n = 0; n < 10_000; n++) await logIn(n);
  await logIn(0);
  await logIn(10_000);
  await exhaust(limits, HERE, 20);
  expect(await fail(limits, HERE, 'user 0', true)).toBeUndefined();
  expect(await fail(limits, HERE, 'user 1', true)).toBe(ADDRESS);
  expect(await fail(limits, HERE, 'user 2', true)).toBeUndefined();
});

test('an attempt with a recognised password counts nothing, so that withdrawing it takes nothing back', async () => {
  const limits = limitAttempts(localCounters(), 2);
  expect(await fail(limits, HERE, 'ann')).toBeUndefined();
  await (await limits.begin(HERE, 'ann', () => true)).withdrawn();
  expect(await fail(limits, HERE, 'ann')).toBeUndefined();
  expect(await fail(limits, HERE, 'ann')).toBe(NAME);
});

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:0:0:7', ADDRESS],
  ['2001:db8::1', '2001:0DB8:0:0:5:6:7:8', ADDRESS],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', undefined],
  ['::1', '1::1', undefined],
])('%s and %s: the addresses of one /64 share a limit', async (first, second, refused) => {
  const limits = limitAttempts(localCounters(), 1);
  await exhaust(limits, first, 10);
  expect(await fail(limits, second, 'another')).toBe(refused as string);
});
