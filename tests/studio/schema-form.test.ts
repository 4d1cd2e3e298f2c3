/** The fields of a form for a JSON schema, and where errors in its value are shown. */
import { expect, test } from 'bun:test';
import { fieldOf, hasForm, rootNode } from '../../studio/parts/schema-form/field.ts';
import {
  initialValue,
  problemsOf,
  refusedFields,
  Unread,
} from '../../studio/parts/schema-form/form-value.ts';

const of = (schema: unknown) => fieldOf(rootNode(schema));
const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });
const problems = (schema: unknown, value: unknown) => Object.fromEntries(problemsOf(schema, value));

test.each([
  ['a text', { type: 'string', format: 'date' }, { kind: 'text', format: 'date' }],
  ['a whole number', { type: 'integer', minimum: 1 }, { kind: 'number', isInteger: true, least: 1 }],
  ['true or false', { type: 'boolean', title: 'Sure?' }, { kind: 'boolean', title: 'Sure?' }],
  ['a choice', { enum: ['a', 1, null] }, { kind: 'choice', values: ['a', 1], nullable: true }],
  [
    'constants as a choice',
    { anyOf: [{ const: 'a' }, { const: 'b' }] },
    { kind: 'choice', values: ['a', 'b'] },
  ],
  ['null by the type', { type: ['string', 'null'] }, { kind: 'text', nullable: true }],
  [
    'null by an alternative',
    { anyOf: [{ type: 'number' }, { type: 'null' }] },
    { kind: 'number', nullable: true },
  ],
  ['a list', { type: 'array', items: { type: 'string' } }, { kind: 'list' }],
  ['a list of anything', { type: 'array' }, { kind: 'json' }],
  ['several types', { type: ['string', 'number'], description: 'd' }, { kind: 'json', description: 'd' }],
  ['alternatives', { anyOf: [{ type: 'string' }, { type: 'object' }] }, { kind: 'json' }],
  ['parts of one object', { allOf: [object({ a: {} }, ['a']), object({ b: {} })] }, { kind: 'object' }],
  ['no schema', null, { kind: 'json', nullable: false }],
  ['an invalid schema', 'text', { kind: 'json' }],
])('%s becomes the matching field', (_, schema, field) => {
  expect(of(schema)).toMatchObject(field);
});

test('references are followed, and broken ones become JSON fields', () => {
  const $defs = { name: { type: 'string' }, loop: { $ref: '#/$defs/loop' }, 'a/b': { type: 'number' } };
  expect(of({ $defs, $ref: '#/$defs/name' })).toMatchObject({ kind: 'text' });
  expect(of({ $defs, $ref: '#/$defs/a~1b' })).toMatchObject({ kind: 'number' });
  for (const $ref of ['#/$defs/loop', '#/$defs/none', 'https://example.org/schema', '#/__proto__'])
    expect(of({ $defs, $ref }).kind).toBe('json');
});

test('a recursive schema has a form with a finite value', () => {
  const tree = {
    $defs: { node: object({ name: { type: 'string' }, next: { $ref: '#/$defs/node' } }, ['name', 'next']) },
    $ref: '#/$defs/node',
  };
  expect(hasForm(tree)).toBe(true);
  expect(JSON.stringify(initialValue(tree)).length).toBeLessThan(200);
});

test('a form starts with defaults and required fields', () => {
  const schema = object(
    {
      ...{ text: { type: 'string' }, amount: { type: 'number', default: 2 }, sure: { type: 'boolean' } },
      ...{
        tags: { type: 'array', items: {} },
        price: { type: ['number', 'null'] },
        later: { type: 'boolean' },
      },
      inner: object({ kind: { const: 'x' } }, ['kind']),
    },
    ['text', 'sure', 'tags', 'price', 'inner'],
  );
  const inner = { kind: 'x' };
  expect(initialValue(schema)).toEqual({ amount: 2, sure: false, tags: [], price: null, inner });
});

test('a validation error is reported at the path of its field', () => {
  const schema = object(
    {
      ...{ name: { type: 'string', minLength: 2 }, count: { type: 'integer', maximum: 5 } },
      ...{ size: { enum: ['s', 'l'] }, any: {}, list: { type: 'array', items: { type: 'number' } } },
      inner: object({ street: { type: 'string' } }, ['street']),
    },
    ['name', 'size'],
  );
  expect(problems(schema, {})).toEqual({ name: 'This field is required.', size: 'Select an option.' });
  const wrong = { name: 'x', count: 7, size: 'm', any: new Unread('{'), list: [1, '2', null], inner: {} };
  expect(problems(schema, wrong)).toEqual({
    name: 'Must have at least 2 characters.',
    count: 'Must be at most 5.',
    size: 'Must be one of the options.',
    any: expect.stringContaining('Line 1, column 2'),
    'list.1': 'Must be a number.',
    'list.2': 'This field is required.',
    'inner.street': 'This field is required.',
  });
  expect(problems(schema, { name: 'xy', size: 's', count: 1.5 })).toEqual({
    count: 'Must be a whole number.',
  });
  expect(problems(schema, { name: 'xy', size: 's', any: null, other: 1 })).toEqual({});
});

test('an error of the service is shown at the nearest field', () => {
  const schema = object({
    name: { type: 'string' },
    any: {},
    items: { type: 'array', items: object({ price: { type: 'number' } }) },
  });
  const value = { name: 'x', any: { deep: 1 }, items: [{ price: 1 }] };
  const detail =
    'input.name: Too short; at least: 2; input.any.deep: Wrong; input.items.0.price: No; input.gone.x: Odd; context.name: Other; input: All of it';
  expect(Object.fromEntries(refusedFields(detail, 'input', schema, value))).toEqual({
    ...{ name: 'Too short; at least: 2', any: 'Wrong', 'items.0.price': 'No', '': 'Odd All of it' },
  });
  expect(Object.fromEntries(refusedFields('input.items.7.price: No', 'input', schema, value))).toEqual({
    items: 'No',
  });
});
