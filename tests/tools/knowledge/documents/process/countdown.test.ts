/** The time limit of reading a document, which is paused while a part is processed. */
import { expect, test } from 'bun:test';
import { countdown } from '../../../../../tools/knowledge/documents/process/countdown.ts';

/** Longer than every countdown in this file. */
const later = () => Bun.sleep(100);

test('it ends after its time', async () => {
  const ended = Promise.withResolvers<void>();
  countdown(5, ended.resolve);
  await ended.promise;
});

test('it does not end while it is paused, and ends after it is resumed', async () => {
  const ended = Promise.withResolvers<string>();
  const timer = countdown(20, () => ended.resolve('ended'));
  timer.pause();
  expect(await Promise.race([ended.promise, later()])).toBeUndefined();
  timer.resume();
  expect(await ended.promise).toBe('ended');
});

test('after it is cleared, it never ends', async () => {
  let ends = 0;
  const timer = countdown(5, () => ends++);
  timer.pause();
  timer.clear();
  timer.resume();
  await later();
  expect(ends).toBe(0);
});
