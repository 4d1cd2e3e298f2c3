/** When a sync of the write-ahead log may block the event loop. */
import { expect, test } from 'bun:test';
import { diskSpeed } from '../../../../state/sqlite/file/log-sync.ts';

function after(disk: ReturnType<typeof diskSpeed>, took: number, count = 1): boolean {
  for (let sync = 0; sync < count; sync++) disk.note(took);
  return disk.isFast();
}

test('the probe decides about the first sync', () => {
  expect(diskSpeed(0.3).isFast()).toBe(true);
  expect(diskSpeed(0.8).isFast()).toBe(false);
  expect(diskSpeed(Number.POSITIVE_INFINITY).isFast()).toBe(false);
});

test('one slow sync moves the next ones to another thread, until a hundred in a row are fast', () => {
  const disk = diskSpeed(0.3);
  expect(after(disk, 2, 500)).toBe(true);
  expect(after(disk, 150)).toBe(false);
  expect(after(disk, 0.4, 99)).toBe(false);
  expect(after(disk, 0.4)).toBe(true);
});

test('a single slow sync in between starts the count again', () => {
  const disk = diskSpeed(0.3);
  after(disk, 150);
  after(disk, 0.4, 99);
  after(disk, 1);
  expect(after(disk, 0.4, 99)).toBe(false);
  expect(after(disk, 0.4)).toBe(true);
});
