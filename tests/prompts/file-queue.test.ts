/** The queue of the writes of a prompt file. */
import { expect, test } from 'bun:test';
import { fileQueue } from '../../prompts/file-queue.ts';

test('writes of a file run in order, one at a time, also after one that failed', async () => {
  const queue = fileQueue(60_000);
  const held = Promise.withResolvers<void>();
  const begun: string[] = [];
  const write = (file: string, name: string, until: Promise<void> = Promise.resolve()) =>
    queue(file, async () => {
      begun.push(name);
      await until;
      return name;
    });
  const first = write('a', 'first', held.promise);
  const second = write('a', 'second', Promise.reject(new Error('failed')));
  const third = write('a', 'third');
  expect(await write('b', 'other')).toBe('other');
  expect(begun).toEqual(['first', 'other']);
  held.resolve();
  expect(second).rejects.toThrow('failed');
  expect([await first, await third]).toEqual(['first', 'third']);
  expect(begun).toEqual(['first', 'other', 'second', 'third']);
});

test('a write that waits too long is abandoned, and the next one runs', async () => {
  let time = 0;
  const queue = fileQueue(30, () => time);
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = queue('a', () => {
    begun.resolve();
    return held.promise;
  });
  await begun.promise;
  const second = queue('a', async () => 'done').catch(({ code }) => code);
  time = 31;
  held.resolve();
  await first;
  expect(await second).toBe('OVERLOADED');
  expect(await queue('a', async () => 'done')).toBe('done');
});
