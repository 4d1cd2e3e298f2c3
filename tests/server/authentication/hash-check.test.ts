/** Many passwords at once: few are compared at a time, and too many are refused rather than held. */
import { expect, test } from 'bun:test';
import { createHashCheck } from '../../../server/authentication/hash-check.ts';

test('two are compared at once, 64 wait, more are refused, and all places are free again', async () => {
  let running = 0;
  let most = 0;
  const gate = Promise.withResolvers<void>();
  const check = createHashCheck(async (password) => {
    most = Math.max(most, ++running);
    await gate.promise;
    running--;
    if (password === 'broken') throw new Error('unreadable');
    return password === 'good';
  });
  const asked = ['good', 'broken', ...Array.from({ length: 98 }, () => 'bad')].map((password) =>
    check(password, '').catch((error) => error.code ?? error.message),
  );
  gate.resolve();
  const outcomes = await Promise.all(asked);
  expect(most).toBe(2);
  expect(outcomes.slice(0, 2)).toEqual([true, 'unreadable']);
  expect(outcomes.filter((outcome) => outcome === 'OVERLOADED').length).toBe(34);
  expect(await Promise.all(['good', 'good', 'good'].map((password) => check(password, '')))).toEqual([
    ...[true, true, true],
  ]);
});
