/** Limits on failed logins: which attempts count against a name, which against an address, and who is spared. */
import { expect, test } from 'bun:test';
import { type AttemptLimits, limitAttempts } from '../../../server/authentication/attempt-limits.ts';
import { ownCounters } from '../../../state/minute-counters.ts';

const HERE = '10.0.0.1';

/** A failed attempt; gives why it was refused before its password was looked at. */
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

test('a name has its limit at each address, and an address ten times that over all names', async () => {
  const limits = limitAttempts(ownCounters(), 2);
  const outcomes = [];
  for (let n = 0; n < 3; n++) outcomes.push(await fail(limits, HERE, 'ann'));
  expect(outcomes).toEqual([undefined, undefined, NAME]);
  await exhaust(limits, HERE, 18);
  expect(await fail(limits, HERE, 'another')).toBe(ADDRESS);
  expect(await fail(limits, '10.0.0.2', 'another')).toBeUndefined();
});

test('successes and attempts that were not looked at cost an address nothing', async () => {
  const limits = limitAttempts(ownCounters(), 1);
  for (let n = 0; n < 50; n++) {
    await (await limits.begin(HERE, `user ${n}`, () => false)).succeeded();
    await (await limits.begin(HERE, `other ${n}`, () => false)).withdrawn();
  }
  await exhaust(limits, HERE, 10);
  expect(await fail(limits, HERE, 'another')).toBe(ADDRESS);
});

test('at an exhausted address the right password of a name that logged in there before still passes', async () => {
  const limits = limitAttempts(ownCounters(), 2);
  await (await limits.begin(HERE, 'ann', () => false)).succeeded();
  await exhaust(limits, HERE, 20);
  expect(await fail(limits, HERE, 'ann', true)).toBeUndefined();
  // A wrong password answers as any made-up name does.
  expect(await fail(limits, HERE, 'ann')).toBe(ADDRESS);
  expect(await fail(limits, HERE, 'bob', true)).toBe(ADDRESS);
  expect(await fail(limits, HERE, 'made-up')).toBe(ADDRESS);
});

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:0:0:7', ADDRESS],
  ['2001:db8::1', '2001:0DB8:0:0:5:6:7:8', ADDRESS],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', undefined],
  ['::1', '1::1', undefined],
])('%s and %s: the addresses of one /64 share a limit', async (first, second, refused) => {
  const limits = limitAttempts(ownCounters(), 1);
  await exhaust(limits, first, 10);
  expect(await fail(limits, second, 'another')).toBe(refused as string);
});
