/** Long reads share the event loop: one slice a turn, however many there are. */
import { expect, test } from 'bun:test';
import { slices } from '../../../state/driver/slices.ts';

/** Works as long as its slice lasts, so many times, and notes the turn of each of them. */
async function read(begin: ReturnType<typeof slices>, count: number, note: (ms: number) => void) {
  const slice = begin();
  for (let done = 0; done < count; done++) {
    const since = performance.now();
    while (!slice.isOver());
    note(performance.now() - since);
    await slice.next();
  }
}

test('of several reads each has its slice in a turn of its own', async () => {
  const begin = slices();
  let turn = 0;
  let going = true;
  const count = () => {
    turn++;
    if (going) setImmediate(count);
  };
  count();
  const turns: number[] = [];
  await read(begin, 1, () => {});
  const first = read(begin, 3, () => turns.push(turn));
  const second = read(begin, 3, () => turns.push(turn));
  const third = read(begin, 3, () => turns.push(turn));
  await Promise.all([first, second, third]);
  going = false;
  // The first slices are in the turn in which the reads begin.
  expect(turns.slice(0, 3)).toEqual([turns[0], turns[0], turns[0]] as number[]);
  const later = turns.slice(3);
  expect(later).toHaveLength(6);
  expect(new Set(later).size).toBe(6);
});

test('a read that begins while another one waits holds the turn only shortly', async () => {
  const beside: number[] = [];
  for (let round = 0; round < 5; round++) {
    const begin = slices();
    const alone = read(begin, 1, (ms) => expect(ms).toBeGreaterThan(5));
    await Promise.all([alone, read(begin, 1, (ms) => beside.push(ms))]);
  }
  // A busy machine makes some of them longer.
  expect(Math.min(...beside)).toBeLessThan(5);
});
