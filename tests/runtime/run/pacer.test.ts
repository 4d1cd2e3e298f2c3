/** The order and the pace in which runs continue that are ready at the same time. */
import { expect, test } from 'bun:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pacer } from '../../../runtime/run/pacer.ts';

/** Calls `pace` for each of the numbers and notes them as they continue. */
function arrive(pace: () => Promise<void>, continued: unknown[], ...numbers: number[]): void {
  for (const number of numbers) void pace().then(() => continued.push(number));
}

test('other work runs between groups of two, and the order is kept', async () => {
  const continued: unknown[] = [];
  const pace = pacer(() => false);
  arrive(pace, continued, 1, 2, 3, 4, 5);
  setImmediate(() => continued.push('other work'));
  arrive(pace, continued, 6);
  await Promise.resolve();
  expect(continued).toEqual([1, 2]);
  while (continued.length < 7) await turn();
  expect(continued).toEqual([1, 2, 3, 4, 'other work', 5, 6]);
});

test('runs that are ready one by one in the same iteration of the event loop wait, too', async () => {
  const continued: unknown[] = [];
  const pace = pacer(() => false);
  for (const number of [1, 2, 3]) {
    arrive(pace, continued, number);
    await Promise.resolve();
  }
  expect(continued).toEqual([1, 2]);
  await turn();
  expect(continued).toEqual([1, 2, 3]);
});

test('after a pause, the next ones continue immediately', async () => {
  const continued: unknown[] = [];
  const pace = pacer(() => false);
  arrive(pace, continued, 1, 2, 3);
  while (continued.length < 3) await turn();
  await turn();
  arrive(pace, continued, 4, 5);
  await Promise.resolve();
  expect(continued).toEqual([1, 2, 3, 4, 5]);
});

test('on a busy thread, all continue immediately, and so do the ones that wait', async () => {
  const continued: unknown[] = [];
  let isBusy = false;
  const pace = pacer(() => isBusy);
  arrive(pace, continued, 1, 2, 3, 4, 5, 6, 7);
  isBusy = true;
  arrive(pace, continued, 8);
  await Promise.resolve();
  expect(continued).toEqual([1, 2, 8]);
  await turn();
  expect(continued).toEqual([1, 2, 8, 3, 4, 5, 6, 7]);
});
