/** The readers of JSON against the engine's own parser. */
import { expect } from 'bun:test';
import { type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import fc from 'fast-check';
import { SkeinError } from '../../../state/errors.ts';
import { firstWrong } from '../../../tools/json/first-wrong.ts';
import { fitSchema } from '../../../tools/json/fit-schema.ts';
import { lenientJson } from '../../../tools/json/lenient-json.ts';
import { readJson } from '../../../tools/json/read-json.ts';
import { anyOrder, anyText, edited, property } from '../../support/property.ts';

const PIECES = [
  ...['{', '}', '[', ']', ',', ':', '"', '\\', '\\u', '\\ud83d', '00', '-', '.', 'e', '1e', 'E+', '0', '12'],
  ...[
    'true',
    'tru',
    'null',
    'NaN',
    '\n',
    '\r',
    '\t',
    ' ',
    '\u00a0',
    '\u0000',
    '\ufeff',
    '"a"',
    '"__proto__":',
    'é',
    '😀',
  ],
];
const json = fc.oneof(
  fc.json(),
  fc.json({ noUnicodeString: false }),
  edited(fc.json(), PIECES),
  anyOrder(PIECES),
);

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

property(
  'a text has no first wrong character if and only if it is JSON',
  [fc.oneof(json, anyText)],
  (text) => {
    expect(firstWrong(text) === undefined).toBe(parsed(text) !== undefined);
  },
);

property('the text before the first wrong character is a prefix of valid JSON', [json], (text) => {
  const at = firstWrong(text);
  if (at === undefined) return;
  expect(at).toBeWithin(0, text.length + 1);
  // The prefix is JSON, or it only ends too early.
  expect([undefined, at]).toContain(firstWrong(text.slice(0, at)));
});

property(
  'a document is returned as the engine parses it, or the error has the right position',
  [json],
  (text) => {
    const expected = parsed(text);
    try {
      expect(readJson(text, Type.Unknown())).toEqual(expected?.value);
    } catch (error) {
      expect(expected).toBeUndefined();
      if (!(error instanceof SkeinError)) throw error;
      expect(error.code).toBe('INVALID_WORKFLOW_INPUT');
      const place = /^Expecting value: line (\d+) column (\d+) \(char (\d+)\)$/.exec(error.message);
      const [line, column, char] = (place ?? []).slice(1).map(Number);
      const before = [...text.slice(0, firstWrong(text))];
      expect(char).toBe(before.length);
      expect(line).toBe(before.filter((point) => point === '\n').length + 1);
      expect(column).toBe(before.length - before.lastIndexOf('\n'));
    }
  },
);

const Order = Type.Object({ lines: Type.Array(Type.Object({ count: Type.Integer() })), note: Type.String() });

property('an error of a schema never repeats a value', [fc.json({ depthSize: 'medium' })], (text) => {
  const marked = text.replaceAll(/"(?:[^"\\]|\\.)*"(?!\s*:)/g, '"secret-value"');
  try {
    expect(Value.Check(Order, readJson(marked, Order))).toBeTrue();
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    expect(error.code).toBe('INVALID_WORKFLOW_INPUT');
    expect(`${error.message} ${error.detail}`).not.toContain('secret-value');
  }
});

/** Removes `__proto__` keys, as the lenient reader does. */
function withoutProto(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutProto);
  const kept = Object.entries(value).filter(([key]) => key !== '__proto__');
  return Object.fromEntries(kept.map(([key, field]) => [key, withoutProto(field)]));
}

const container = fc.oneof(
  fc.array(fc.jsonValue({ maxDepth: 5 })),
  fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), fc.jsonValue({ maxDepth: 5 })),
);

property(
  'the lenient reader finds JSON inside a text, as the engine parses it',
  [container, anyText, anyText, fc.constantFrom(0, 2)],
  (value, before, after, indent) => {
    const text = JSON.stringify(value, null, indent);
    const found = lenientJson(before + text + after).valueAt(before.length);
    expect(found).toEqual({
      value: withoutProto(JSON.parse(text)),
      end: before.length + text.length,
    });
  },
);

/** The JSON of a value with a comma after the last item of every list and object. */
function loose(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => `${loose(item)},`).join(' ')}]`;
  return `{${Object.entries(value)
    .map(([key, field]) => `${JSON.stringify(key)} :${loose(field)} ,`)
    .join('')}}`;
}

property('trailing commas change nothing', [container], (value) => {
  expect(lenientJson(loose(value)).valueAt(0)?.value).toEqual(
    withoutProto(JSON.parse(JSON.stringify(value))),
  );
});

property('the lenient reader accepts JSON, and stops at the end of the value', [json], (text) => {
  const reader = lenientJson(text);
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '{' && text[at] !== '[') continue;
    const found = reader.valueAt(at);
    if (!found) continue;
    expect(found.end).toBeWithin(at + 1, text.length + 1);
    expect('}]').toContain(text.charAt(found.end - 1));
    const strict = parsed(text.slice(at, found.end));
    if (strict) expect(found.value).toEqual(withoutProto(strict.value));
  }
});

const SCHEMAS: TSchema[] = [
  Type.Object({ count: Type.Integer(), isNew: Type.Boolean(), names: Type.Array(Type.Number()) }),
  Type.Object({ count: Type.Optional(Type.Number()) }, { additionalProperties: true }),
  Type.Union([Type.Number(), Type.Null(), Type.Object({ count: Type.Integer() })]),
  Type.Array(Type.Boolean()),
];
const nearly = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('1', ' 12 ', '1.5', 'TRUE', 'false', '1e400', '01', '', null, true, 3, 1.5),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('count', 'isNew', 'names', 'other'), tie('value')),
  ),
})).value;

property(
  'fitting a value to a schema is idempotent',
  [nearly, fc.constantFrom(...SCHEMAS)],
  (value, schema) => {
    const fitted = fitSchema(value, schema);
    expect(fitSchema(fitted, schema)).toEqual(fitted);
  },
);

property('a value that matches its schema is not changed by fitting', [nearly], (value) => {
  for (const schema of SCHEMAS.slice(1))
    if (Value.Check(schema, value)) expect(fitSchema(value, schema)).toEqual(value);
});
