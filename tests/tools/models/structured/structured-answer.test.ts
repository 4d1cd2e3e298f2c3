/** Parses the answers of small models: the intended value, without additions. */
import { describe, expect, test } from 'bun:test';
import { type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { structuredAnswer } from '../../../../tools/models/structured/structured-answer.ts';

const Place = Type.Object(
  {
    city: Type.String(),
    size: Type.Number(),
    rank: Type.Integer(),
    capital: Type.Boolean(),
    river: Type.Union([Type.Literal('rhine'), Type.Literal('elbe')]),
    tags: Type.Array(Type.Object({ n: Type.Integer(), score: Type.Number() })),
  },
  { additionalProperties: false },
);
const BONN = {
  city: 'Bonn',
  size: 0.9,
  rank: 3,
  capital: false,
  river: 'rhine',
  tags: [{ n: 1, score: 0.5 }],
};
const JSON_BONN = JSON.stringify(BONN);
const KOELN = JSON.stringify({ ...BONN, city: 'Köln' });
const withCity = (city: string) => JSON.stringify({ ...BONN, city });

const READ: [name: string, text: string, city?: string][] = [
  ['JSON alone', JSON_BONN],
  ['a sentence before it (Llama)', `Here is the JSON object you asked for:\n\n${JSON_BONN}`],
  [
    'sentences around it (Llama)',
    `Sure! ${JSON_BONN}\n\nLet me know if I can help with anything else {really}.`,
  ],
  ['a fence with its language (Qwen)', `\`\`\`json\n${JSON.stringify(BONN, null, 2)}\n\`\`\``],
  ['a fence without one, and a note', `\`\`\`\n${JSON_BONN}\n\`\`\`\n**Note:** the size is an estimate [1].`],
  [
    'thoughts with braces (DeepSeek)',
    `<think>\n{"city": "Köln"} or {city}? ${KOELN}\n</think>\n\n${JSON_BONN}`,
  ],
  ['thoughts with an open brace and quote', `<think>If { then "so</think>${JSON_BONN}`],
  ['empty thoughts (Qwen 3)', `<think>\n\n</think>\n\n${JSON_BONN}`],
  ['thoughts whose beginning is in the prompt (DeepSeek R1)', `Hm, ${KOELN}?\n</think>\n${JSON_BONN}`],
  ['thoughts that never end', `<think>The person asks for a city. ${JSON_BONN}`],
  ['thoughts within thoughts', `<think>a<think>${KOELN}</think>${KOELN}</think>${JSON_BONN}`],
  ['thoughts after it', `${JSON_BONN}\n<think>Was it ${KOELN}?</think>`],
  ['thinking by another name', `<Thinking>${KOELN}</Thinking>${JSON_BONN}`],
  ['think tags within a text of it', withCity('<think>Bonn</think>'), '<think>Bonn</think>'],
  ['two values, the second corrected', `${KOELN}\nWait, that is wrong. ${JSON_BONN}`],
  ['the schema said again before it', `{"type": "object", "properties": {}}\n${JSON_BONN}`],
  ['braces that are none before it', `I use {JSON} and {{this}} [as asked]: ${JSON_BONN}`],
  ['an array of one', `[${JSON_BONN}]`],
  [
    'a comma before a closing bracket',
    '[{"city": "Bonn", "size": 0.9, "rank": 3, "capital": false, "river": "rhine", "tags": [{"n": 1, "score": 0.5,},],},]',
  ],
  ['braces, brackets and quotes in its texts', withCity('}{][ "{" \\" ```'), '}{][ "{" \\" ```'],
  ['a line break in a text', JSON_BONN.replace('Bonn', 'Bonn\nam\tRhein'), 'Bonn\nam\tRhein'],
  ['other letters and escapes', withCity('Zürich 🚲 \u2028').replace('ü', '\\u00fc'), 'Zürich 🚲 \u2028'],
  [
    'unrequested keys',
    JSON_BONN.replace('{', '{"thought": {"a": [1]}, "__proto__": {"x": 1}, "constructor": 1, '),
  ],
  [
    'numbers and truth values as texts',
    JSON_BONN.replace('0.9', '" 0.9 "')
      .replace('3', '"3"')
      .replace('false', '"False"')
      .replace('0.5', '"5e-1"'),
  ],
  ['a key twice', JSON_BONN.replace('{', '{"city": "Köln", ')],
];

describe('read is', () => {
  test.each(READ)('%s', (_, text, city = 'Bonn') => {
    const value = structuredAnswer(text, Place);
    expect(value).toEqual({ ...BONN, city });
    expect(Value.Check(Place, value)).toBe(true);
    expect(Object.keys(value as object)).toEqual(expect.arrayContaining(Object.keys(BONN)));
    expect(Object.getOwnPropertyNames(value)).toHaveLength(Object.keys(BONN).length);
  });
});

const NOTHING: [name: string, text: string][] = [
  ['prose', 'Bonn lies on the Rhine.'],
  ['an empty answer', ''],
  ['citations', 'It is Bonn [1][2].'],
  ['nothing but thoughts', `<think>${JSON_BONN}</think>Bonn.`],
  ['JSON that breaks off', '{"city": "Bonn", "size": 0.9, "rank"'],
  ['JSON that breaks off in a text', '{"city": "Bonn'],
  ["Python's dictionary", "{'city': 'Bonn', 'capital': False}"],
  ['keys without quotes', '{city: "Bonn"}'],
  ['not a number', '{"size": NaN}'],
  ['infinity', '{"size": -Infinity}'],
  ['words after a number', '{"size": 0.9abc}'],
  ['a comma alone', '{,}'],
  ['a comment', '{"size": 1 /* about */}'],
  ['a scalar', '"Bonn"'],
];

test.each(NOTHING)('no value is read from %s', (_, text) => {
  expect(structuredAnswer(text, Place)).toBeUndefined();
});

const STAYS: [schema: TSchema, said: unknown][] = [
  ...[
    'yes',
    '',
    ' ',
    'NaN',
    'Infinity',
    '-Infinity',
    '1e999',
    '0.9abc',
    '0x10',
    '1_000',
    '1,000',
    '0,9',
    '90%',
    '.5',
    '5.',
    '+1',
    '007',
    'null',
    true,
    null,
  ].map((value): [TSchema, unknown] => [Type.Number(), value]),
  ...['0.9', '1e-1', '9007199254740993', '-99999999999999999999', 'three', 0.9, true].map(
    (value): [TSchema, unknown] => [Type.Integer(), value],
  ),
  ...['yes', 'no', '1', '0', 1, 0, 'truthy', ''].map((value): [TSchema, unknown] => [Type.Boolean(), value]),
  ...[3, true, null, ['Bonn']].map((value): [TSchema, unknown] => [Type.String(), value]),
  [Type.Union([Type.Literal('rhine'), Type.Literal('elbe')]), 'danube'],
  [Type.Union([Type.Literal('rhine'), Type.Literal('elbe')]), 'Rhine'],
  [Type.Union([Type.Literal(1), Type.Literal(2)]), '3'],
  [Type.Array(Type.String()), 'Bonn'],
];

test.each(STAYS)('for %j, the value %j is not converted, and rejected', (schema, input) => {
  const shape = Type.Object({ it: schema });
  const value = structuredAnswer(JSON.stringify({ it: input }), shape);
  expect(value).toEqual({ it: input });
  expect(Value.Check(shape, value)).toBe(false);
});

test('a value that matches one of several schemas is not changed', () => {
  const Either = Type.Object({ it: Type.Union([Type.Number(), Type.String(), Type.Null()]) });
  for (const it of ['3', 3, null]) expect(structuredAnswer(JSON.stringify({ it }), Either)).toEqual({ it });
  const OrNull = Type.Object({ it: Type.Union([Type.Null(), Type.Number()]) });
  expect(structuredAnswer('{"it": "3"}', OrNull)).toEqual({ it: 3 });
});

test('the fields of a mapping are kept, except those with a special meaning in JavaScript', () => {
  const Open = Type.Object({ it: Type.Record(Type.String(), Type.Number()) });
  expect(structuredAnswer('{"it": {"a": 1, "__proto__": {"b": 2}}}', Open)).toEqual({ it: { a: 1 } });
  expect(({} as Record<string, unknown>).b).toBeUndefined();
});

test('a list is read if the schema requires one, even with one item', () => {
  expect(structuredAnswer('Here: ["1", "2"]', Type.Array(Type.Integer()))).toEqual([1, 2]);
  expect(structuredAnswer('["1"] {}', Type.Array(Type.Integer()))).toEqual([1]);
});

test('a value with more than 64 levels is not read', () => {
  const nested = (depth: number) => `{"a": ${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const Any = Type.Object({ a: Type.Unknown() });
  expect(structuredAnswer(nested(63), Any)).toBeDefined();
  expect(structuredAnswer(nested(64), Any)).toBeUndefined();
  expect(structuredAnswer(nested(200_000), Any)).toBeUndefined();
});

// Quadratic time would be minutes; each takes less than a fifth of a second on an idle machine.
const LENGTH = 400_000;
test.each([
  '{',
  '[',
  '{"a":',
  '[{"a":[',
  '["',
  '{"a":"',
  '"',
  '\\"{',
  '["\\',
  '[1,',
  '[",[',
  '<think>',
  '</think>',
  '<think>{"a":1}',
  '{"a":{}},[',
  '[1',
  '1',
  '{ ',
])(
  '400 kB of %s take time in proportion',
  (part) => {
    const text = part.repeat(LENGTH / part.length);
    const started = performance.now();
    structuredAnswer(text, Place);
    structuredAnswer(`{"a":[${text}`, Place);
    structuredAnswer(`{"a":"${text}`, Place);
    expect(performance.now() - started).toBeLessThan(20_000);
  },
  60_000,
);
