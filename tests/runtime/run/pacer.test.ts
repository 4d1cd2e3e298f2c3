/** The order and the pace in which runs continue that are ready at the same time. */
import { expect, test } from 'bun:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pacer } from '../../../runtime/run/pacer.ts';

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Calls `pace` for each of the numbers and notes them as they continue. */
function arrive(pace: () => Promise<void>, continued: unknown[], arriving: number[]): void {
  for (const number of arriving) void pace().then(() => continued.push(number));
}

test('other work runs between groups of sixteen, and the order is kept', async () => {
  const continued: unknown[] = [];
  const pace = pacer();
  arrive(pace, continued, numbers(1, 35));
  setImmediate(() => continued.push('other work'));
  arrive(pace, continued, [36]);
  await Promise.resolve();
  expect(continued).toEqual(numbers(1, 16));
  while (continued.length < 37) await turn();
  expect(continued).toEqual([...numbers(1, 32), 'other work', ...numbers(33, 36)]);
});

test('runs that are ready one by one in the same iteration of the event loop wait, too', async () => {
  const continued: unknown[] = [];
  const pace = pacer();
  for (const number of numbers(1, 17)) {
    arrive(pace, continued, [number]);
    await Promise.resolve();
  }
  expect(continued).toEqual(numbers(1, 16));
  await turn();
  expect(continued).toEqual(numbers(1, 17));
});

test('after a pause, the next ones continue immediately', async () => {
  const continued: unknown[] = [];
  const pace = pacer();
  arrive(pace, continued, numbers(1, 17));
  while (continued.length < 17) await turn();
  await turn();
  arrive(pace, continued, numbers(18, 33));
  await Promise.resolve();
  expect(continued).toEqual(numbers(1, 33));
});
