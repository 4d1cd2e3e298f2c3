/** Many concurrent password checks: one is compared at a time, a limited number waits, and the rest is rejected. */
import { expect, test } from 'bun:test';
import { createHashCheck } from '../../../server/authentication/hash-check.ts';

/** Compares nothing until `open` is called. */
function gatedCheck() {
  let running = 0;
  const seen = { most: 0 };
  const { promise, resolve: open } = Promise.withResolvers<void>();
  const check = createHashCheck(async (password) => {
    seen.most = Math.max(seen.most, ++running);
    await promise;
    running--;
    if (password === 'broken') throw new Error('unreadable');
    return password === 'good';
  });
  const outcome = (address: string, password: string) =>
    check(address, password, '').catch((error) => error.code ?? error.message);
  return { outcome, open, seen };
}

test('one is compared at a time, 64 wait, more are rejected, and all slots become free again', async () => {
  const { outcome, open, seen } = gatedCheck();
  const passwords = ['good', 'broken', ...Array.from({ length: 98 }, () => 'bad')];
  const checks = passwords.map((password, index) => outcome(`10.0.0.${index}`, password));
  open();
  const outcomes = await Promise.all(checks);
  expect(seen.most).toBe(1);
  expect(outcomes.slice(0, 2)).toEqual([true, 'unreadable']);
  expect(outcomes.filter((one) => one === 'OVERLOADED').length).toBe(35);
  expect(await Promise.all([1, 2, 3].map(() => outcome('10.0.0.1', 'good')))).toEqual([true, true, true]);
});

test('one address takes at most half of the slots', async () => {
  const { outcome, open } = gatedCheck();
  const flood = Array.from({ length: 60 }, () => outcome('10.0.0.1', 'bad'));
  const other = outcome('10.0.0.2', 'good');
  open();
  const outcomes = await Promise.all(flood);
  expect(outcomes.filter((one) => one === 'OVERLOADED').length).toBe(60 - 33);
  expect(await other).toBe(true);
});
