/** The form fields of a state: their types, how input is parsed, and which changes are found. */
import { expect, test } from 'bun:test';
import { changedValues, readTyped, stateFields } from '../../studio/run-again/state-fields.ts';

const kinds = (values: Record<string, unknown>, schema?: unknown) =>
  Object.fromEntries(stateFields(values, schema).map(({ name, kind }) => [name, kind]));

test('without a schema, the field types follow the values', () => {
  const messages = [{ id: 'a', role: 'user', content: 'Hi' }];
  const state = { text: 'a', count: 1, flag: false, list: [1], nothing: null, messages };
  expect(kinds(state)).toEqual({
    ...{ text: 'text', count: 'number', flag: 'flag', list: 'json', nothing: 'json', messages: 'messages' },
  });
});

test('a schema adds fields that have no value yet, and a value of another type stays JSON', () => {
  const schema = {
    properties: {
      city: { type: 'string' },
      days: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      tone: { enum: ['plain', 'warm'] },
      messages: { type: 'array' },
      title: { type: 'string' },
    },
  };
  expect(kinds({ title: { not: 'text' } }, schema)).toEqual({
    ...{ city: 'text', days: 'number', tone: 'choice', messages: 'messages', title: 'json' },
  });
});

test('messages come first, and the other fields keep their order', () => {
  const messages = [{ id: 'a', role: 'user', content: 'Hi' }];
  const names = stateFields({ b: 1, messages, a: 2 }, { properties: { c: {} } }).map(({ name }) => name);
  expect(names).toEqual(['messages', 'c', 'b', 'a']);
});

test('invalid schemas and values give JSON fields', () => {
  for (const schema of [null, 5, 'x', [], { properties: {} }])
    expect(kinds({ a: {} }, schema)).toEqual({ a: 'json' });
  expect(kinds({ messages: [{ role: 'user' }], list: [null, { role: 1 }] })).toEqual({
    messages: 'json',
    list: 'json',
  });
});

test('typed values are parsed, empty fields stay unchanged, and errors are reported by field', () => {
  const before = { a: [1], b: { c: 2 } };
  const read = readTyped(before, { a: '[2]', b: '' });
  expect(read).toEqual({ values: { a: [2] }, problems: {} });
  expect(changedValues(before, read.values)).toEqual({ a: [2] });
  expect(readTyped(before, { a: '[2' }).problems.a?.message).toStartWith('Line 1, column 3: ');
});
