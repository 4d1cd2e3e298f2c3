/** The groups in which a conversation is drawn: groups that are already drawn don't change when items are added before or after them. */
import { expect, test } from 'bun:test';
import { groupsOf } from '../../studio/chat/transcript/item-group.tsx';
import type { TranscriptItem } from '../../studio/chat/transcript/transcript-items.ts';

/** Items with these numbers. */
const itemsFrom = (from: number, until: number) =>
  Array.from(
    { length: until - from },
    (_, index) => ({ kind: 'message', key: `${from + index}` }) as TranscriptItem,
  );

const drawn = (from: number, until: number) =>
  groupsOf(itemsFrom(from, until), '952').map(({ key, items }) => `${key}: ${items.map((item) => item.key)}`);

test('loading an older page changes no group that is already drawn, however long the page is', () => {
  const newest = drawn(952, 1000);
  expect(newest.length).toBe(12);
  for (const from of [856, 88, 5, 0]) {
    const all = drawn(from, 1000);
    expect(all.slice(-12)).toEqual(newest);
    expect(all.join().match(/\d+/g)?.length).toBe(1000 - from + all.length);
  }
});

test('appending only changes the last group, and a growing group keeps its key', () => {
  expect(drawn(952, 1001).slice(0, 12)).toEqual(drawn(952, 1000));
  const [first, ...others] = groupsOf(itemsFrom(950, 1000), '952');
  const [grown, ...same] = groupsOf(itemsFrom(949, 1000), '952');
  expect([grown?.key, grown?.items.length, same.length]).toEqual([first?.key ?? '', 3, others.length]);
});

test('every item is drawn once, also without the anchor, and an empty list has no groups', () => {
  const all = groupsOf(itemsFrom(0, 10), 'gone').flatMap(({ items }) => items.map(({ key }) => key));
  expect(all).toEqual(itemsFrom(0, 10).map(({ key }) => key));
  expect(groupsOf([], undefined)).toEqual([]);
});
