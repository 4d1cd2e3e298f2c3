/** Slots for runs: requests are granted in order, and none is lost. */
import { expect, test } from 'bun:test';
import { slots } from '../../../runtime/queue/slots.ts';

test('a request that is released while it waits leaves the queue, and the next one gets the slot', async () => {
  const pool = slots(1);
  const first = pool.request();
  await first.granted;
  const [second, third] = [pool.request(), pool.request()];
  expect(pool.waiting()).toBe(2);
  second.release();
  expect(pool.waiting()).toBe(1);
  first.release();
  await third.granted;
  expect([pool.inUse(), pool.waiting()]).toEqual([1, 0]);
});

test('only the first release of a request frees its slot', async () => {
  const pool = slots(2);
  const [first, second] = [pool.request(), pool.request()];
  await Promise.all([first.granted, second.granted]);
  for (let n = 0; n < 3; n++) first.release();
  expect(pool.inUse()).toBe(1);
  expect(pool.acquireAll()).toBe(1);
  expect(pool.tryAcquire()).toBe(false);
});
