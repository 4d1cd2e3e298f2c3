/** The range of a template that is marked for a problem. */
import { expect, test } from 'bun:test';
import { positionAt, rangeOf } from '../../studio/prompts/editor/problem-range.ts';

const shown = (text: string, problem: Partial<Parameters<typeof rangeOf>[1]>) => {
  const range = rangeOf(text, { message: '', position: undefined, variable: undefined, ...problem });
  return range && text.slice(range.from, range.to);
};

test("a problem marks the tag at its position, up to the tag's end or the end of the line", () => {
  expect(shown('a\nb {{ x | y }} c', { position: { line: 2, column: 3 } })).toBe('{{ x | y }}');
  expect(shown('a\nb {{ x\nc', { position: { line: 2, column: 3 } })).toBe('{{ x');
  expect(shown('a', { position: { line: 9, column: 9 } })).toBe('a');
  expect(shown('', { position: { line: 1, column: 1 } })).toBe('');
});

test('a variable is marked where a tag reads it first', () => {
  const text = 'customer {{ a.customer }} {{ customer.name }}';
  expect(rangeOf(text, { message: '', position: undefined, variable: 'customer' })).toEqual({
    from: 29,
    to: 37,
  });
  expect(shown(text, { variable: 'nobody' })).toBeUndefined();
  expect(shown(text, { variable: 'a.(' })).toBe('a');
  expect(positionAt('one\ntwo', 5)).toEqual({ line: 2, column: 2 });
});
