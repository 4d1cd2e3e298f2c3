/** Long reads share the event loop: one slice per turn for any number of reads. */
import { expect, test } from 'bun:test';
import { slices } from '../../../state/driver/slices.ts';

/** Works for a number of whole slices, and records the turn of each. */
async function read(begin: ReturnType<typeof slices>, count: number, note: (ms: number) => void) {
  // Before the slice begins, so that a pause of this process between the two lines makes it longer, not shorter.
  let since = performance.now();
  const slice = begin();
  for (let done = 0; done < count; done++) {
    while (!slice.isOver());
    note(performance.now() - since);
    await slice.next();
    since = performance.now();
  }
}

test('each of several reads gets its slice in a separate turn', async () => {
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
  // The first slices are in the turn in which the reads start.
  expect(turns.slice(0, 3)).toEqual([turns[0], turns[0], turns[0]] as number[]);
  const later = turns.slice(3);
  expect(later).toHaveLength(6);
  expect(new Set(later).size).toBe(6);
});

test('a read that begins while another one waits gets a short first slice', async () => {
  const beside: number[] = [];
  for (let round = 0; round < 5; round++) {
    const begin = slices();
    const alone = read(begin, 1, (ms) => expect(ms).toBeGreaterThan(5));
    await Promise.all([alone, read(begin, 1, (ms) => beside.push(ms))]);
  }
  // Some are longer on a busy machine.
  expect(Math.min(...beside)).toBeLessThan(5);
});
