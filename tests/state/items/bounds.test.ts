/** What the store rejects, and the reason that it gives. */
import { describe, expect, test } from 'bun:test';
import {
  checkKey,
  checkNamespace,
  checkRange,
  encodeValue,
  MAX_MINUTES,
  timeToLive,
} from '../../../state/items/bounds.ts';

const labels = (count: number, length = 1) => Array.from({ length: count }, () => 'x'.repeat(length));

describe('a namespace', () => {
  test.each([
    ['that is a text', 'users', 'A namespace must be a list of strings.'],
    ['with a colon', ['a:b'], 'cannot contain colons'],
    ['with half a character', ['\ud800'], 'halves of surrogate pairs'],
    ['of 65 labels', labels(65), 'at most 64 labels, not 65'],
    ['of 2,001 characters', labels(2, 1_000), 'at most 2000 characters together, not 2001'],
  ])('%s is rejected', (_, namespace, reason) => {
    expect(() => checkNamespace(namespace)).toThrow(
      expect.objectContaining({
        name: 'InvalidNamespaceError',
        message: expect.stringContaining(reason),
      }),
    );
  });

  test('of 64 labels or 2,000 characters is accepted; an empty one only for reads', () => {
    expect(() => checkNamespace(labels(64))).not.toThrow();
    expect(() => checkNamespace(['x'.repeat(999), 'x'.repeat(1_000)])).not.toThrow();
    expect(() => checkNamespace([], { allowEmpty: true })).not.toThrow();
    expect(() => checkNamespace([])).toThrow('empty');
  });
});

const invalid = (reason: string) =>
  expect.objectContaining({ name: 'InvalidItemError', message: expect.stringContaining(reason) });

test.each([
  ['that is a number', 7, 'must be a string'],
  ['with a NUL', 'a\0', 'NUL bytes'],
  ['with half a character', '\udc00', 'halves of surrogate pairs'],
  ['of 2,001 characters', 'x'.repeat(2_001), 'at most 2000 characters, not 2001'],
])('a key %s is rejected', (_, key, reason) => {
  expect(() => checkKey(key)).toThrow(invalid(reason));
});

test('a key of 2,000 characters is accepted', () => {
  expect(() => checkKey('x'.repeat(2_000))).not.toThrow();
});

test('a value that cannot be stored is rejected, and an error that the value throws is passed on', () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const failing = new (class {
    toJSON() {
      throw new TypeError('not now');
    }
  })();
  expect(() => encodeValue(undefined)).toThrow(invalid('cannot be undefined'));
  expect(() => encodeValue({ text: 'x'.repeat(8 * 1024 * 1024) })).toThrow(invalid('at most 8388608'));
  expect(() => encodeValue(circular)).toThrow(invalid('circular references'));
  expect(() => encodeValue({ failing })).toThrow(new TypeError('not now'));
  expect(encodeValue({ a: [1, null] })).toBe('{"a":[1,null]}');
});

test('a time to live is converted to milliseconds, and one that is no number of minutes is rejected', () => {
  expect([undefined, null, 0.00001, 1, MAX_MINUTES].map(timeToLive)).toEqual([
    null,
    null,
    1,
    60_000,
    MAX_MINUTES * 60_000,
  ]);
  for (const minutes of ['1', 0, -1, Number.NaN, MAX_MINUTES + 1])
    expect(() => timeToLive(minutes)).toThrow(invalid('ttl must be a number of minutes'));
});

test.each([
  [-1, 0],
  [0, -1],
  [Number.NaN, 0],
])('the range of %p items from %p is rejected', (limit, offset) => {
  expect(() => checkRange(limit, offset)).toThrow(invalid('numbers of at least 0'));
});
