/** Prompts that are JSON documents: what is accepted, and the errors for the others. */
import { expect, test } from 'bun:test';
import { type Static, Type } from '@sinclair/typebox';
import { SkeinError } from '../../../state/errors.ts';
import { readJson } from '../../../tools/json/read-json.ts';

const Order = Type.Object({
  lines: Type.Array(
    Type.Object({ code: Type.Optional(Type.String()), count: Type.Optional(Type.Integer()) }),
  ),
  note: Type.Optional(Type.String()),
});

function refusal(text: string) {
  try {
    readJson(text, Order);
  } catch (error) {
    if (error instanceof SkeinError) return [error.code, error.message, error.detail];
    throw error;
  }
  return undefined;
}

const WRONG = 'The workflow does not accept this user_prompt';

test.each([
  ['Hello there', 'line 1 column 1 (char 0)'],
  ['{"lines": [],}', 'line 1 column 14 (char 13)'],
  ['{\n  "lines": [\n    {"count": tru}\n  ]\n}', 'line 3 column 15 (char 29)'],
  ['{"é😀": x}', 'line 1 column 8 (char 7)'],
  ['{\r\n"lines" 1}', 'line 2 column 9 (char 11)'],
  ['{"lines": [', 'line 1 column 12 (char 11)'],
  ['\n\n', 'line 3 column 1 (char 2)'],
])('%j is rejected with %j', (text, place) => {
  expect(refusal(text)).toEqual(['INVALID_WORKFLOW_INPUT', `Expecting value: ${place}`, undefined]);
});

test.each([
  ['[]', 'user_prompt: expected a mapping of fields'],
  ['null', 'user_prompt: expected a mapping of fields'],
  ['{}', 'lines: missing, expected a list'],
  ['{"lines": "secret"}', 'lines: expected a list'],
  ['{"lines": [{}, {"count": 1.5}]}', 'lines[1].count: expected an integer'],
  ['{"lines": [{}, {}, ["secret"]]}', 'lines[2]: expected a mapping of fields'],
  ['{"lines": [], "note": null}', 'note: expected text'],
  ['{"__proto__": {"lines": []}}', 'lines: missing, expected a list'],
])('%s is rejected: %s', (text, detail) => {
  expect(refusal(text)).toEqual(['INVALID_WORKFLOW_INPUT', WRONG, detail]);
});

test('the last of duplicate keys wins, unknown fields are kept, and no key changes the prototype', () => {
  const text = '{"lines": 1, "lines": [], "more": [1], "__proto__": {"note": 5}, "constructor": 1}';
  const read: Static<typeof Order> = readJson(text, Order);
  expect(Object.entries(read).map(([key]) => key)).toEqual(['lines', 'more', '__proto__', 'constructor']);
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  expect(read.note).toBeUndefined();
});
