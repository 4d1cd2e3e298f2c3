/** Sample inputs that are generated from a schema, for documentation and trials. */
import { expect, test } from 'bun:test';
import { sampleInput } from '../../../../graphs/adoption/schemas/sample-input.ts';

test('an example that is an object is the input', () => {
  expect(sampleInput({ properties: { topic: { type: 'string' } } }, '{"topic": "tea"}')).toEqual({
    topic: 'tea',
  });
});

test('every required field gets a value of its type, and others are left out', () => {
  const properties = {
    topic: { type: 'string' },
    count: { type: 'integer', minimum: 2 },
    any: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    below: { type: 'number', maximum: 0 },
    style: { type: 'string', enum: ['formal', 'casual'] },
    day: { type: 'string', format: 'date' },
    tags: { type: 'array', items: { type: 'string' } },
    pair: { type: 'array', items: { type: 'number' }, minItems: 2 },
    place: { type: 'object', properties: { city: { type: 'string' }, zip: {} }, required: ['city'] },
    either: { anyOf: [{ type: 'boolean' }, { type: 'string' }] },
    maybe: { type: ['null', 'string'] },
    size: { type: 'number', default: 7 },
    kind: { const: 'x' },
    tree: { $ref: '#/$defs/tree' },
    note: { type: 'string' },
  };
  const required = Object.keys(properties).filter((name) => name !== 'note');
  const tree = { type: 'object', properties: { next: { $ref: '#/$defs/tree' } }, required: ['next'] };
  const sample = sampleInput({ type: 'object', properties, required, $defs: { tree } }, 'Hello');
  expect(sample).toMatchObject({
    ...{
      topic: 'Hello',
      count: 2,
      any: 1,
      below: 0,
      style: 'formal',
      day: '2026-01-31',
      tags: ['Hello'],
      pair: [1, 1],
    },
    ...{ place: { city: 'Hello' }, either: true, maybe: null, size: 7, kind: 'x', tree: { next: {} } },
  });
  expect(sample).not.toHaveProperty('note');
});

test('without required fields all are set; without a schema the input is the text', () => {
  expect(sampleInput({ type: 'object', properties: { a: {}, b: { type: 'number' } } }, 'Hello')).toEqual({
    a: 'Hello',
    b: 1,
  });
  expect(sampleInput(undefined, 'Hello')).toBe('Hello');
});
