/** Where a text stops being JSON, checked against an oracle that tries every possible continuation. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { firstWrong } from '../../../tools/json/first-wrong.ts';

setDefaultTimeout(60_000);

test.each([
  ['plain prose', 0],
  ['', 0],
  [' \n', 2],
  ['{"stores":[]', 12],
  ['{"stores":[],}', 13],
  ['{stores:[]}', 1],
  ["{'stores':[]}", 1],
  ['{"stores" []}', 10],
  ['{"stores":[]} {}', 14],
  ['{"a":tru}', 5],
  ['tru', 0],
  ['[nul', 1],
  ['[nullable]', 1],
  ['[True]', 1],
  ['[NaN]', 1],
  ['-Infinity', 1],
  ['true story', 5],
  ['01', 1],
  ['1.', 2],
  ['1.x', 2],
  ['[1e+]', 4],
  ['-', 1],
  ['"ab', 3],
  ['"a\\x"', 3],
  ['"\\u12G4"', 5],
  ['"\\u12', 5],
  ['"a\nb"', 2],
  ['[1 2]', 3],
  ['[,1]', 1],
  ['{"a":1 "b":2}', 7],
  ['\ufeff{}', 0],
  ['\u00a0{}', 0],
  ['[1]]', 3],
  ['[}', 1],
])('%j is wrong at %d', (text, at) => {
  expect(firstWrong(text)).toBe(at);
});

test('a valid document has no error', () => {
  for (const text of ['{}', ' [1, -0.5e+3, "\\ud83d\\u0000\u2028", true, null, {"a": {}}] \r\n', '0'])
    expect(firstWrong(text)).toBeUndefined();
});

test('reports random texts as invalid exactly where no continuation could complete them', () => {
  const seed = Math.trunc(Math.random() * 2 ** 31);
  const random = randomFrom(seed);
  const pick = <T>(items: readonly T[]) => items[Math.trunc(random() * items.length)] as T;
  for (let round = 0; round < 2_000; round++) {
    const length = 1 + Math.trunc(random() * 7);
    const text = Array.from({ length }, () => pick(PIECES)).join('');
    expect({ seed, text, at: firstWrong(text) }).toEqual({ seed, text, at: oracle(text) });
  }
});

test('accepts only what the parser accepts', () => {
  const seed = Math.trunc(Math.random() * 2 ** 31);
  const random = randomFrom(seed);
  for (let round = 0; round < 20_000; round++) {
    const length = 1 + Math.trunc(random() * 8);
    const text = Array.from({ length }, () => PIECES[Math.trunc(random() * PIECES.length)]).join('');
    expect({ seed, text, is: firstWrong(text) === undefined }).toEqual({ seed, text, is: isJson(text) });
  }
});

test('checks a million brackets without recursion', () => {
  expect(firstWrong('['.repeat(1_000_000))).toBe(1_000_000);
  expect(firstWrong(`${'['.repeat(500_000)}${']'.repeat(500_000)}`)).toBeUndefined();
});

const PIECES = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    '"a"',
    '"b":',
    ' ',
    '\n',
    '\t',
    '\\',
    '\\n',
    '\\u00',
    '0',
    '1',
    '-',
    '.',
  ],
  ...[
    'e',
    'E',
    '+',
    'tru',
    'true',
    'false',
    'nul',
    'null',
    'x',
    'é',
    '😀',
    '\u0001',
    '1.5',
    '[]',
    '{}',
    'u',
    'a',
  ],
];

// Texts that can finish a token or precede the closing brackets.
const TOKENS = [
  ...[
    '',
    '"',
    '0"',
    '00"',
    '000"',
    '0000"',
    'n"',
    'u0000"',
    '0',
    '+0',
    'rue',
    'ue',
    'e',
    'alse',
    'lse',
    'se',
    'ull',
    'll',
    'l',
  ],
];
const REST = ['', ':0', '0', '"":0', '"k":0', ',0', ',"":0'];

/** Finds the shortest prefix that no continuation completes, and goes back to the start of a bare word. */
function oracle(text: string): number | undefined {
  if (isJson(text)) return undefined;
  let at = 0;
  while (at < text.length && canContinue(text.slice(0, at + 1))) at++;
  const word = /[\p{L}\p{M}\p{N}_]*$/u.exec(text.slice(0, at))?.[0] ?? '';
  const start = at - word.length;
  const bareword = /^[\p{L}\p{M}\p{N}_]*/u.exec(text.slice(start))?.[0] ?? '';
  const before = text.slice(0, start);
  // Positions of a value but not of a text, because a text could contain `x`.
  const bare = /^\p{L}/u.test(bareword) && canContinue(`${before}[`) && !canContinue(`${before}x`);
  return bare && !['true', 'false', 'null'].includes(bareword) ? start : at;
}

function canContinue(beginning: string): boolean {
  const close = closing(beginning);
  return TOKENS.some((token) => REST.some((rest) => isJson(beginning + token + rest + close)));
}

/** The closing brackets for those that are still open, except in strings. */
function closing(text: string): string {
  const open: string[] = [];
  for (const [bracket] of text.replaceAll(/"(?:[^"\\]|\\.)*("|\\?$)/g, '').matchAll(/[[\]{}]/g)) {
    if (bracket === '[' || bracket === '{') open.unshift(bracket === '[' ? ']' : '}');
    else open.shift();
  }
  return open.join('');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** mulberry32: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
