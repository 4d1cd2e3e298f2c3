/** Stems, sentences and topics, on which the offline model's rules are based. */

import { describe, expect, test } from 'bun:test';
import { clip, sentences, stem } from '../../../../../tools/models/offline/language/text.ts';
import { topic } from '../../../../../tools/models/offline/language/topic.ts';

test('the inflections and spellings of a word share their stem', () => {
  for (const forms of [
    ['order', 'orders', 'ordered', 'ordering'],
    ['ship', 'ships', 'shipped', 'shipping'],
    ['delivery', 'deliveries'],
    ['size', 'sizes', 'sizing'],
    ['colour', 'color', 'colors'],
    ['tyre', 'tires', 'tire'],
  ]) {
    expect(new Set(forms.map(stem)).size).toBe(1);
  }
});

test('words that only look alike keep their own stems', () => {
  for (const [one, other] of [
    ['tire', 'tired'],
    ['please', 'pleased'],
    ['string', 'str'],
    ['need', 'ne'],
  ] as const) {
    expect(stem(one)).not.toBe(stem(other));
  }
});

test('a sentence ends neither in a number nor after a title', () => {
  expect(sentences('Dr. Silva paid 2.50 euros. Right?\nYes')).toEqual([
    'Dr. Silva paid 2.50 euros.',
    'Right?',
    'Yes',
  ]);
});

test('a clipped text ends at a word', () => {
  expect(clip('one two  three', 20)).toBe('one two three');
  expect(clip('one two three', 10)).toBe('one two…');
});

describe('a topic', () => {
  test('is a noun phrase of at most four words, in lower case', () => {
    expect(topic('How do I fix a flat tyre?')).toBe('flat tyre');
    expect(topic('What is the battery range of your e-bikes?')).toBe('battery range');
    expect(topic('My order has not arrived.')).toBe('order');
    expect(topic('Tell me about the Trek Marlin 7 Gen 3 Disc.').split(' ')).toHaveLength(4);
  });

  test('is general when no word names one', () => {
    for (const text of ['', 'What is it?', '12 * 7', '🙂', '今'.repeat(100)])
      expect(topic(text)).toBe('general');
  });
});
