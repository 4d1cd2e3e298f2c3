/** Paths into JSON values, and values that contain others. */
import { expect, test } from 'bun:test';
import { atPath, contains, PATH } from '../../../../server/langgraph/threads/value-paths.ts';

test.each([
  ['a', { b: [[1, 2], 'x'] }],
  ['a.b[0][1]', 2],
  ['a.b[-1]', 'x'],
  ['a.b.0', [1, 2]],
  ['a.b.length', undefined],
  ['a.c.d', undefined],
  ['n.toFixed', undefined],
])('the path %s selects %j', (path, value) => {
  expect(path).toMatch(new RegExp(PATH));
  expect(atPath({ a: { b: [[1, 2], 'x'] }, n: 1 }, path)).toEqual(value);
});

test.each(['', 'a.', '.a', 'a[', 'a[]', 'a[1', 'a[b]', 'a..b', 'a[1]b'])('%p is not a path', (path) => {
  expect(path).not.toMatch(new RegExp(PATH));
});

test.each([
  [{ a: 1, b: { c: [1, { d: 2, e: 3 }] } }, { b: { c: [{ d: 2 }] } }, true],
  [{ a: 1 }, {}, true],
  [{ a: null }, { a: null }, true],
  [{}, { a: null }, false],
  [{ a: [1] }, { a: [1, 2] }, false],
  [{ a: 'x' }, { a: ['x'] }, false],
  [[1], { 0: 1 }, false],
  [null, {}, false],
])('matching %j against %j gives %p', (value, wanted, has) => {
  expect(contains(value, wanted)).toBe(has);
});
