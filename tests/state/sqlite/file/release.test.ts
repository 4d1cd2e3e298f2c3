/** The order and the pace in which a commit's callers continue. */
import { expect, test } from 'bun:test';
import { setImmediate as turn } from 'node:timers/promises';
import { releaser } from '../../../../state/sqlite/file/release.ts';

const callers = (called: number[], ...numbers: number[]) =>
  numbers.map((number) => () => called.push(number));

test('other work runs between groups of two, and the order is kept across commits', async () => {
  const called: (number | string)[] = [];
  const release = releaser(() => false);
  release(callers(called as number[], 1, 2, 3, 4, 5));
  setImmediate(() => called.push('other work'));
  release(callers(called as number[], 6));
  expect(called).toEqual([1, 2]);
  while (called.length < 7) await turn();
  expect(called).toEqual([1, 2, 3, 4, 'other work', 5, 6]);
});

test('a caller that commits again continues after the ones before it', async () => {
  const called: number[] = [];
  const release = releaser(() => false);
  release([() => release(callers(called, 4)), ...callers(called, 1, 2, 3)]);
  while (called.length < 4) await turn();
  expect(called).toEqual([1, 2, 3, 4]);
});

test('on a busy processor, all callers continue immediately', () => {
  const called: number[] = [];
  releaser(() => true)(callers(called, 1, 2, 3, 4, 5));
  expect(called).toEqual([1, 2, 3, 4, 5]);
});

test('the rest continues at once when the processor becomes busy', async () => {
  const called: number[] = [];
  let isBusy = false;
  const release = releaser(() => isBusy);
  release(callers(called, 1, 2, 3, 4, 5, 6, 7));
  isBusy = true;
  await turn();
  expect(called).toEqual([1, 2, 3, 4, 5, 6, 7]);
});
