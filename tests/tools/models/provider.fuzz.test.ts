/** What providers answer: structured values in text, rejections, and when to ask again. */
import { expect } from 'bun:test';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import fc from 'fast-check';
import { SkeinApiError } from '../../../client/api-error.ts';
import {
  factsText,
  readFacts,
  readSuggestions,
  readTexts,
  suggestionsText,
  textsText,
} from '../../../tools/models/data-blocks.ts';
import { toProviderError } from '../../../tools/models/errors/provider-error.ts';
import { providerWords } from '../../../tools/models/errors/provider-words.ts';
import { refusalBody } from '../../../tools/models/errors/refusal-body.ts';
import { structuredAnswer } from '../../../tools/models/structured/structured-answer.ts';
import { passagesText, readPassagesText } from '../../../tools/text/passages-text.ts';
import { anyOrder, anyText, edited, property } from '../../support/property.ts';

const Category = Type.Object({
  category: Type.String(),
  score: Type.Number(),
  tags: Type.Array(Type.String()),
});
const category = fc.record({
  category: fc.string(),
  score: fc.double({ noNaN: true, noDefaultInfinity: true }).map((score) => score || 0),
  tags: fc.array(fc.string(), { maxLength: 3 }),
});
const words = fc.string().filter((text) => !/[[\]{}<"]/.test(text));

property(
  'the last value in an answer is found, whatever the reasoning and the text around it',
  [category, category, words, words, fc.constantFrom(0, 2)],
  (thought, value, before, after, indent) => {
    const [draft, answer] = [thought, value].map((one) => JSON.stringify(one, null, indent));
    const texts = [
      `${before}${answer}${after}`,
      `<think>${draft}</think>${before}\n\`\`\`json\n${answer}\n\`\`\`${after}`,
      `${draft}</think>${answer}${after}[1]`,
      `${draft}\n${before}[${answer}]`,
    ];
    for (const text of texts) expect(structuredAnswer(text, Category)).toEqual(value);
  },
);

const PIECES = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  ':',
  '<think>',
  '</think>',
  '"category"',
  '"score": "1"',
  'null',
  '```json',
  '\\',
  '\n',
];

property(
  'any answer has no value, or one that is parsed the same again',
  [
    fc.oneof(
      edited(
        category.map((value) => JSON.stringify(value)),
        PIECES,
      ),
      anyOrder(PIECES, 60),
    ),
  ],
  (text) => {
    const found = structuredAnswer(text, Category);
    if (found === undefined || !Value.Check(Category, found)) return;
    expect(structuredAnswer(JSON.stringify(found), Category)).toEqual(found);
  },
);

property(
  'a hostile answer is parsed in linear time',
  [
    fc.constantFrom('[', '{"a":', '[{', '{"a":[', '"{', '<think>', '[[]', '{"a": "'),
    fc.integer({ min: 1, max: 20_000 }),
  ],
  (piece, count) => {
    const started = performance.now();
    structuredAnswer(piece.repeat(count), Category);
    expect(performance.now() - started).toBeLessThan(2_000);
  },
  { costs: 10 },
);

const header = fc.oneof(
  fc.nat(1_000).map(String),
  fc
    .date({ noInvalidDate: true, min: new Date('2000-01-01'), max: new Date('2100-01-01') })
    .map((date) => date.toUTCString()),
  fc.constantFrom(
    '',
    '-1',
    '1.5',
    'Infinity',
    '-Infinity',
    '1e400',
    '0x10',
    'NaN',
    'soon',
    '99999999999999999999',
    ' 5 ',
  ),
  fc.string({ unit: 'grapheme-ascii' }).filter((text) => !/[\r\n\0]/.test(text)),
);

property(
  'the retry delay is a finite number of at least 0, or unknown',
  [fc.option(header), fc.option(header), fc.constantFrom(429, 503)],
  (seconds, milliseconds, status) => {
    const headers = new Headers();
    if (seconds !== null) headers.set('retry-after', seconds);
    if (milliseconds !== null) headers.set('retry-after-ms', milliseconds);
    const waits = [
      toProviderError({ __proto__: Error.prototype, status, headers }).retryAfter,
      new SkeinApiError({}, new Response('', { headers })).retryAfter,
    ];
    for (const wait of waits)
      if (wait !== undefined) expect([wait, Number.isFinite(wait) && wait >= 0]).toEqual([wait, true]);
    if (seconds !== null && /^\d{1,4}$/.test(seconds)) {
      expect(waits[1]).toBe(Number(seconds));
      if (milliseconds === null) expect(waits[0]).toBe(Number(seconds) * 1000);
    }
  },
);

property(
  "the provider's message is one short line without the key",
  [anyText, fc.stringMatching(/^sk-[A-Za-z0-9]{20,40}$/), anyText],
  (before, secret, after) => {
    const shown = providerWords(`${before} ${secret} ${after}`, secret);
    if (shown === undefined) return;
    expect(shown).not.toContain(secret.slice(0, 12));
    expect(shown.length).toBeLessThanOrEqual(500);
    expect(shown).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    expect(shown.isWellFormed()).toBeTrue();
  },
);

const body = fc.oneof(
  edited(
    fc.constantFrom(
      '{"error":{"message":"no","code":"x"}}',
      '{"detail":[{"loc":["body",1],"msg":"no"}]}',
      '[{"error":"no"}]',
    ),
    ['{', '}', '[', ']', 'null', '1', '"message":', '"error":'],
  ),
  fc.json(),
  anyText,
);

property('a rejection has texts only, and a text other than JSON is its message', [body], (text) => {
  fc.pre(text.trim() !== '');
  const refusal = refusalBody(text);
  for (const value of Object.values(refusal))
    expect(typeof value === 'string' && value.trim() !== '').toBeTrue();
  if (!/^[\s]*["{[\d\-tfn]/.test(text)) expect(refusal).toEqual({ message: text });
});

const short = anyText.map((text) => text.toWellFormed().slice(0, 100).toWellFormed());
const path = fc.stringMatching(/^[a-z][a-z.]{0,8}$/);

property(
  'blocks of a prompt are parsed into the values they were made from',
  [fc.array(short), fc.dictionary(path, short), fc.array(short)],
  (texts, suggestions, names) => {
    const around = (block: string) => `before\n${block}\n${block.replaceAll('a', 'b')}`;
    expect(readFacts(around(factsText(texts)))).toEqual(texts);
    const numbered = texts.map((text, index) => ({ n: index + 1, text }));
    expect(readTexts(around(textsText(numbered)))).toEqual(numbered);
    expect(Object.fromEntries(readSuggestions(around(suggestionsText(suggestions))) ?? [])).toEqual({
      ...suggestions,
    });
    const passages = names.map((document, index) => ({
      document,
      heading: texts[index] ?? '',
      page: index || null,
      context: '',
      text: document,
    }));
    const read = readPassagesText(
      around(passagesText(passages.map((one) => ({ ...one, context: one.text })))),
    );
    expect(read).toEqual(
      passages.map(({ document, heading, text }, index) => ({ n: index + 1, document, heading, text })),
    );
  },
);
