/** What is wrong with a JSON text, and where. */
import { expect, test } from 'bun:test';
import { readJson } from '../../studio/parts/json/json-text.ts';

const FAULTS: [text: string, at: number, message: string][] = [
  ['', 0, 'Line 1, column 1: expected a value, found the end of the text.'],
  ['{"a": 1', 7, 'Line 1, column 8: expected “,” or “}”, found the end of the text.'],
  ['{a: 1}', 1, 'Line 1, column 2: expected a name in double quotes, found “a”.'],
  ['{"a" 1}', 5, 'Line 1, column 6: expected “:”, found “1”.'],
  ['{\n  "b": [1 2]\n}', 12, 'Line 2, column 11: expected “,” or “]”, found “2”.'],
  ['[1, 2,]', 6, 'Line 1, column 7: expected a value, found “]”.'],
  ['{"a": "b}', 6, 'Line 1, column 7: expected a value, found an unterminated string.'],
  ['[01]', 1, 'Line 1, column 2: expected a value, found “0”.'],
  ['{} {}', 3, 'Line 1, column 4: expected the end of the text, found “{”.'],
];

test.each(FAULTS)('%s', (text, at, message) => {
  expect(readJson(text)).toEqual({ problem: { at, message } });
});

test('valid JSON is parsed, and too deep nesting is reported', () => {
  expect(readJson(' {"a": [1.5e3, "\\u00e9", null]} ')).toEqual({ value: { a: [1500, 'é', null] } });
  expect(readJson('['.repeat(200_000)).problem?.message).toMatch(/expected (less nesting|a value)/);
});
