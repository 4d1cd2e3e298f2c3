/** The question for each field of an input schema, and how the answer is parsed. */
import { expect, test } from 'bun:test';
import { fieldsOf } from '../../../cli/commands/chat/input/input-fields.ts';

const only = (schema: Record<string, unknown>) => {
  const [field] = fieldsOf({ properties: { x: schema }, required: ['x'] });
  if (!field) throw new Error('no field');
  return field;
};

test.each<[Record<string, unknown>, string, string, unknown]>([
  [{ type: 'string' }, 'text', '12', '12'],
  [{ type: 'number' }, 'number', '1.5', 1.5],
  [{ type: 'integer' }, 'integer', '-3', -3],
  [{ type: 'boolean' }, 'yes or no', 'Y', true],
  [{ type: 'boolean' }, 'yes or no', 'false', false],
  [{ type: 'string', enum: ['red', 'blue'] }, 'red | blue', 'blue', 'blue'],
  [{ enum: [1, 2] }, '1 | 2', '2', 2],
  [{ const: 'a' }, 'a', 'a', 'a'],
  [{ type: ['string', 'null'] }, 'text or null', 'null', null],
  [{ type: ['string', 'null'] }, 'text or null', 'a', 'a'],
  [{ type: 'object' }, 'object as JSON', '{"a":1}', { a: 1 }],
  [{ type: 'array' }, 'list as JSON', '[1]', [1]],
  [{ type: ['string', 'number'] }, 'JSON or text', '1', 1],
  [{}, 'JSON or text', 'a text', 'a text'],
  [{ anyOf: [{ type: 'string' }] }, 'JSON or text', '{"a":1}', { a: 1 }],
])('%j is asked as "%s"', (schema, says, words, value) => {
  const field = only(schema);
  expect(field.says).toBe(says);
  expect(field.read(words)).toEqual(value);
});

test.each<[Record<string, unknown>, string, string]>([
  [{ type: 'number' }, 'ten', 'Expected a number'],
  [{ type: 'integer' }, '1.5', 'Expected an integer'],
  [{ type: 'boolean' }, 'maybe', 'Expected yes or no'],
  [{ enum: ['red', 'blue'] }, 'green', 'Expected one of red | blue'],
  [{ type: 'object' }, '{"a":', 'Expected an object as JSON, got invalid JSON'],
  [{ type: 'object' }, '[]', 'Expected an object as JSON'],
  [{ type: 'array' }, '{}', 'Expected a list as JSON'],
])('%j rejects %s', (schema, words, message) => {
  expect(() => only(schema).read(words)).toThrow(new Error(message));
});

test('a field shows whether it is required, and its default', () => {
  const properties = {
    a: { type: 'string', description: 'What' },
    b: { type: 'integer', default: 3 },
    c: {},
  };
  expect(fieldsOf({ properties, required: ['a', 'b'] })).toMatchObject([
    { name: 'a', description: 'What', says: 'text', isRequired: true },
    { name: 'b', description: undefined, says: 'integer, default 3', isRequired: false },
    { name: 'c', says: 'JSON or text, optional', isRequired: false },
  ]);
});
