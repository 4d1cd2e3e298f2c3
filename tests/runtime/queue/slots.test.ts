/** Slots for runs: requests are granted in order, and none is lost. */
import { expect, test } from 'bun:test';
import { slots } from '../../../runtime/queue/slots.ts';

test('a request that is released while it waits leaves the queue, and the next one gets the slot', async () => {
  const room = slots(1);
  const first = room.request();
  await first.granted;
  const [second, third] = [room.request(), room.request()];
  expect(room.waiting()).toBe(2);
  second.release();
  expect(room.waiting()).toBe(1);
  first.release();
  await third.granted;
  expect([room.inUse(), room.waiting()]).toEqual([1, 0]);
});

test('only the first release of a request frees its slot', async () => {
  const room = slots(2);
  const [first, second] = [room.request(), room.request()];
  await Promise.all([first.granted, second.granted]);
  for (let n = 0; n < 3; n++) first.release();
  expect(room.inUse()).toBe(1);
  expect(room.acquireAll()).toBe(1);
  expect(room.tryAcquire()).toBe(false);
});
