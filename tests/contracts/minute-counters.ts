/** The contract of minute counters. */
import { expect, test } from 'bun:test';
import type { MinuteCounters } from '../../state/callers/minute-counters.ts';

export interface OpenedCounters {
  /** The counters of two servers on one database; the same counters if there is only one server. */
  counters: MinuteCounters;
  others: MinuteCounters;
  /** Advances the time. */
  pass(milliseconds: number): Promise<void> | void;
}

export function minuteCountersContract(open: () => OpenedCounters | Promise<OpenedCounters>): void {
  const secondsLeft = async (counters: MinuteCounters, key: string, most = 2) => {
    const full = await counters.take([{ key, most }]);
    return full && Math.ceil(full.remainingMs / 1000);
  };

  test('a minute starts with the first count and ends after a minute', async () => {
    const { counters, others, pass } = await open();
    expect(await secondsLeft(counters, 'a')).toBeUndefined();
    expect(await secondsLeft(others, 'a')).toBeUndefined();
    expect(await secondsLeft(counters, 'a')).toBeWithin(59, 61);
    await pass(59_000);
    expect(await secondsLeft(others, 'a')).toBe(1);
    expect(await secondsLeft(others, 'b')).toBeUndefined();
    await pass(1_001);
    expect(await secondsLeft(counters, 'a')).toBeUndefined();
    expect(await secondsLeft(counters, 'a')).toBeUndefined();
    expect(await secondsLeft(others, 'a')).toBeWithin(59, 61);
  });

  test('if one of several keys is full, counts none and returns the first full one', async () => {
    const { counters, others } = await open();
    await counters.take([{ key: 'wide', most: 3 }]);
    await counters.take([{ key: 'narrow', most: 1 }]);
    const both = [
      { key: 'wide', most: 3 },
      { key: 'narrow', most: 1 },
    ];
    for (let n = 0; n < 3; n++) expect(await others.take(both)).toMatchObject({ key: 'narrow', most: 1 });
    expect(await others.look([{ key: 'wide', most: 2 }])).toBeUndefined();
    await counters.take([{ key: 'wide', most: 3 }]);
    await counters.take([{ key: 'wide', most: 3 }]);
    expect(await others.take(both)).toMatchObject({ key: 'wide', most: 3 });
    expect(await counters.look(both.toReversed())).toMatchObject({ key: 'narrow' });
  });

  test('undo subtracts counts and resets keys', async () => {
    const { counters, others } = await open();
    for (let n = 0; n < 2; n++) await counters.take([{ key: 'a', most: 2 }]);
    for (let n = 0; n < 2; n++) await counters.take([{ key: 'b', most: 2 }]);
    await others.undo({ back: ['a', 'unknown'], reset: ['b'] });
    expect(await others.look([{ key: 'a', most: 1 }])).toMatchObject({ key: 'a' });
    expect(await counters.take([{ key: 'a', most: 2 }])).toBeUndefined();
    expect(await counters.look([{ key: 'b', most: 1 }])).toBeUndefined();
  });

  test('of many concurrent counts, exactly as many pass as the limit allows', async () => {
    const { counters, others } = await open();
    const wanted = [
      { key: 'one', most: 7 },
      { key: 'other', most: 20 },
    ];
    const all = Array.from({ length: 40 }, (_, n) =>
      (n % 2 ? counters : others).take(n % 3 ? wanted : wanted.toReversed()),
    );
    expect((await Promise.all(all)).filter((full) => full === undefined)).toHaveLength(7);
  });
}
