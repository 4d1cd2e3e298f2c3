/** The text parts of requests: bodies, cursors, credentials, times and accepted encodings. */
import { expect } from 'bun:test';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import fc from 'fast-check';
import { credentialsOf } from '../../../server/authentication/credentials.ts';
import { parseJson } from '../../../server/http/bodies/json-body.ts';
import { acceptedEncoding } from '../../../server/http/compression.ts';
import { paging } from '../../../server/http/schemas/paging.ts';
import { timeIn } from '../../../server/http/schemas/time-query.ts';
import { SkeinError } from '../../../state/errors.ts';
import { anyOrder, anyText, edited, property } from '../../support/property.ts';

function codeOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof SkeinError) return error.code;
    throw error;
  }
}

const HOSTILE = [
  '"__proto__":',
  '"constructor":',
  '\\u0000',
  '\\ud800',
  '\\u005f_proto__',
  '{',
  '}',
  '[',
  ',',
  '"',
  '\u0007',
];
// The bytes are decoded as UTF-8 first, so a lone surrogate can only be escaped.
const body = edited(fc.json({ noUnicodeString: false }), HOSTILE).map((text) => text.toWellFormed());

function isClean(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !/[^\P{Cc}\t\n\r]/u.test(value);
  if (typeof value !== 'object' || value === null) return true;
  const keys = Object.keys(value);
  return (
    !keys.includes('__proto__') &&
    !keys.includes('constructor') &&
    [...keys, ...Object.values(value)].every(isClean)
  );
}

property('a body is parsed like JSON.parse without dangerous parts, or rejected', [body], (text) => {
  let expected: { value: unknown } | undefined;
  try {
    expected = { value: JSON.parse(text) };
  } catch {
    expected = undefined;
  }
  let value: unknown;
  const code = codeOf(() => {
    value = parseJson(text);
  });
  if (expected === undefined) expect(['INVALID_JSON', 'INVALID_REQUEST']).toContain(String(code));
  else if (code === undefined) expect(isClean(value)).toBeTrue();
  else expect(code).toBe('INVALID_REQUEST');
  if (expected !== undefined && isClean(expected.value)) expect(value).toEqual(expected.value);
});

property(
  'a body that is nested too deep is rejected before it is parsed',
  [fc.integer({ min: 1, max: 200 })],
  (depth) => {
    const code = codeOf(() => parseJson('['.repeat(depth) + ']'.repeat(depth)));
    expect(code).toBe(depth > 64 ? 'INVALID_REQUEST' : undefined);
  },
);

const KINDS = [['number'], ['string'], ['number', 'string'], ['string', 'string']] as const;
const part = { number: fc.nat(), string: fc.string({ unit: 'grapheme', minLength: 1 }) };

property(
  'decoding a cursor returns the encoded position',
  [fc.constantFrom(...KINDS), fc.infiniteStream(fc.record(part))],
  (kinds, parts) => {
    const position = kinds.map((kind) => parts.next().value?.[kind] ?? 0);
    const pages = paging('list', kinds);
    const cursor = pages.cursorOf(position) ?? '';
    expect(Value.Check(Type.Object(pages.query), { cursor })).toBeTrue();
    expect<unknown>(pages.request({ cursor }).after).toEqual(position);
    expect(Value.Check(Type.Object(paging('other', kinds).query), { cursor })).toBeFalse();
  },
);

property(
  'an accepted cursor has positions of its types',
  [fc.constantFrom(...KINDS), fc.oneof(anyText, anyOrder(['n', 's', '.', '0', '9', 'YQ', '_-', '=', 'A']))],
  (kinds, parts) => {
    const cursor = `list.${parts}`;
    const pages = paging('list', kinds);
    if (!Value.Check(Type.Object(pages.query), { cursor })) return;
    const { after = [] } = pages.request({ cursor });
    expect(after.map((one) => typeof one)).toEqual([...kinds]);
    for (const one of after) if (typeof one === 'number') expect(Number.isSafeInteger(one)).toBeTrue();
  },
);

const ascii = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 60,
});
const printed = fc
  .string({ unit: 'grapheme' })
  .filter((text) => !/\p{Cc}/u.test(text) && text.isWellFormed());
const spaces = fc.integer({ min: 1, max: 3 }).map((count) => ' '.repeat(count));

property(
  'decoding Basic credentials returns the encoded username and password',
  [printed, printed, spaces],
  (name, password, space) => {
    const username = name.replaceAll(':', '');
    const encoded = Buffer.from(`${username}:${password}`).toString('base64');
    const read = credentialsOf(new Headers({ authorization: `Basic${space}${encoded}` }));
    expect(read).toEqual(username === '' ? { kind: 'malformed' } : { kind: 'basic', username, password });
  },
);

property('a token and a key are returned unchanged', [ascii], (token) => {
  expect(credentialsOf(new Headers({ authorization: `bearer ${token}` }))).toEqual({ kind: 'bearer', token });
  expect(credentialsOf(new Headers({ 'x-api-key': token }))).toEqual({ kind: 'key', key: token });
  expect(credentialsOf(new Headers({ 'x-api-key': token, authorization: `bearer ${token}` })).kind).toBe(
    'malformed',
  );
});

const header = fc.oneof(
  anyOrder(['Basic', 'Bearer', ' ', '  ', ',', 'YTpi', '=', 'YQ==', ':', 'é', '\t', 'x'], 8),
  fc.base64String().map((text) => `Basic ${text}`),
);

property('any other header is malformed, or has exactly one credential', [header], (text) => {
  const read = credentialsOf(new Headers({ authorization: text }));
  if (read.kind === 'basic') {
    expect(text.trim().split(/ +/)[1]).toBe(
      Buffer.from(`${read.username}:${read.password}`).toString('base64'),
    );
    expect(read.username).not.toContain(':');
  } else if (read.kind === 'bearer') expect(text.trim().endsWith(read.token)).toBeTrue();
  else expect(['malformed', 'none']).toContain(read.kind);
});

property(
  'all notations of a time have the same value',
  [
    fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-01-01') }),
    fc.integer({ min: -839, max: 839 }),
  ],
  (date, minutes) => {
    const there = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1);
    const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((one) =>
      String(one).padStart(2, '0'),
    );
    const text = `${there}${minutes < 0 ? '-' : '+'}${hours}:${rest}`;
    fc.pre(/^\d{4}-/.test(text));
    expect(timeIn('since', text)).toBe(date.getTime());
  },
);

property(
  'an impossible time is rejected',
  [fc.integer({ min: 13, max: 99 }), fc.integer({ min: 32, max: 99 }), fc.integer({ min: 25, max: 99 })],
  (month, day, hour) => {
    for (const text of [
      `2026-${month}-01T00:00:00Z`,
      `2026-01-${day}T00:00:00Z`,
      `2026-01-01T${hour}:00:00Z`,
    ])
      expect(codeOf(() => timeIn('since', text))).toBe('INVALID_REQUEST');
  },
);

const ENCODINGS = ['zstd', 'br', 'gzip'] as const;
const weight = fc.constantFrom('', ';q=0', ';q=1', ';q=0.5', '; q=0.001', ';q=x', ';q=2');
const accept = fc
  .array(
    fc
      .tuple(fc.constantFrom(...ENCODINGS, '*', 'identity', 'deflate', '', 'GZIP'), weight)
      .map((both) => both.join('')),
    { maxLength: 5 },
  )
  .map((all) => all.join(', '));

property('the chosen encoding is one that the client accepts', [accept], (text) => {
  const chosen = acceptedEncoding(
    new Request('http://localhost', { headers: { 'accept-encoding': text } }),
    ENCODINGS,
  );
  if (chosen === undefined) return;
  expect(text.toLowerCase()).toMatch(new RegExp(`(^|[ ,])(${chosen}|\\*)`));
  const named = text
    .toLowerCase()
    .split(', ')
    .filter((one) => one.startsWith(chosen));
  if (named.length === 1) expect(named[0]).not.toMatch(/;\s*q=0$/);
});
