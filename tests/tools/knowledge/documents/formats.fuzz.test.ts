/** Documents: text is read unchanged from every format, and damaged files are rejected. */
import { afterAll, expect } from 'bun:test';
import fc from 'fast-check';
import { Parser } from 'htmlparser2';
import { cutDocument } from '../../../../tools/knowledge/documents/cut.ts';
import { extractText } from '../../../../tools/knowledge/documents/extract.ts';
import type { ENDINGS } from '../../../../tools/knowledge/documents/file-extensions.ts';
import { navigationOf } from '../../../../tools/knowledge/documents/formats/navigation.ts';
import { openReader } from '../../../../tools/knowledge/documents/process/open-reader.ts';
import { UnreadableDocument } from '../../../../tools/knowledge/documents/reader.ts';
import { cleaned } from '../../../../tools/knowledge/documents/text/clean.ts';
import type { DocumentText } from '../../../../tools/knowledge/documents/text/document-text.ts';
import { decodeText } from '../../../../tools/knowledge/documents/text/plain-text.ts';
import { anyOrder, anyText, edited, property } from '../../../support/property.ts';
import { docxOf, pdfOf } from './files.ts';
import { epubOf, pptxOf, xlsxOf } from './office-files.ts';

const BOUNDS = { maxCharacters: 1_000_000, maxInflated: 8 * 1024 * 1024 };
const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Checks the guarantees of every reader about its text, and that passages are parts of it. */
function expectSound({ text, sections }: DocumentText): void {
  let end = 0;
  for (const section of sections) {
    expect(section.start).toBeGreaterThanOrEqual(end);
    expect(section.end).toBeWithin(section.start, text.length + 1);
    end = section.end;
  }
  expect(text.isWellFormed()).toBeTrue();
  const { chunks, parents } = cutDocument('a', { text, sections });
  const known = new Set(parents.map(({ id }) => id));
  let last = 0;
  for (const chunk of chunks) {
    expect(known).toContain(chunk.parent);
    expect(text.slice(chunk.start, chunk.end)).toBe(chunk.text);
    expect(chunk.start).toBeGreaterThanOrEqual(last);
    last = chunk.start;
  }
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length);
}

const letters = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 200 })
  .filter((text) => /\p{L}/u.test(text) && text.isWellFormed());

property('text in UTF-8 and UTF-16 is read unchanged', [letters], (text) => {
  // A leading zero byte would be half of a UTF-16 character.
  fc.pre(!/[\p{Cc}\ufeff]/u.test(text));
  const sixteen = Buffer.from(`\ufeff${text}`, 'utf16le');
  expect(decodeText(sixteen)).toBe(cleaned(text));
  expect(decodeText(Buffer.from(sixteen).swap16())).toBe(cleaned(text));
  expect(decodeText(bytesOf(`\ufeff${text}`))).toBe(cleaned(text));
  expect(decodeText(bytesOf(text), 'utf-8')).toBe(cleaned(text));
});

const LATIN = ['Größe', 'café', 'naïve', '10 €', ' – ', '„Hallo“', ' ', 'the ', 'size', '\n'];

property(
  'text in Windows-1252 is read unchanged',
  [anyOrder(LATIN, 20).filter((text) => /[^\x20-\x7e\n]/.test(text))],
  (text) => {
    const bytes = Uint8Array.from([...text].map((char) => WINDOWS.get(char) ?? char.charCodeAt(0)));
    expect(decodeText(bytes, 'windows-1252')).toBe(text);
  },
);

const WINDOWS = new Map([
  ['€', 0x80],
  ['–', 0x96],
  ['„', 0x84],
  ['“', 0x93],
]);

const MARKUP: Record<string, string[]> = {
  '.md': [
    '# ',
    '## ',
    '- ',
    '```',
    '\n',
    '\n\n',
    '| a | b |',
    '|---|',
    '> ',
    '<b>',
    '</b>',
    '[x](y)',
    '---\n',
    '    ',
    '===\n',
    'text ',
    '`',
  ],
  '.rst': ['====\n', '----\n', '.. note::\n', '\n', '    ', '::\n', '* ', 'text ', '`x`_', '..'],
  '.adoc': ['= ', '== ', '----\n', '|===\n', '\n', '* ', 'text ', '[source]\n', '////\n', 'include::x[]'],
  '.html': [
    '<h1>',
    '</h1>',
    '<p>',
    '</p>',
    '<script>',
    '</script>',
    '<nav>',
    '</nav>',
    '<table><tr><td>',
    '</td>',
    '<a href="#">',
    '</a>',
    '<',
    '>',
    '&amp;',
    '&#0;',
    '<!--',
    '-->',
    'text ',
    '<pre>',
    '<title>',
    '<li hidden>',
    '<svg>',
  ],
  '.csv': ['a', ',', ';', '"', '""', '\n', '\r\n', '\t', '|', ' ', 'é', '1'],
  '.eml': [
    'From: a@b.c\n',
    'Subject: x\n',
    '\n',
    'Content-Type: multipart/mixed; boundary=b\n',
    '--b\n',
    '--b--\n',
    'Content-Type: text/html\n',
    '=?utf-8?Q?x?=',
    'text ',
    'Content-Transfer-Encoding: base64\n',
  ],
};
const markup = fc.constantFrom(...Object.keys(MARKUP)).chain((ending) =>
  anyOrder(MARKUP[ending] ?? [], 60).map((text) => ({
    ending: ending as (typeof ENDINGS)[number],
    text: `${text} words `,
  })),
);

property(
  'text with markup is split into sections and passages of its text',
  [markup],
  async ({ ending, text }) => {
    try {
      expectSound(await extractText(ending, bytesOf(text), BOUNDS));
    } catch (error) {
      // A table may have an unterminated quote, and an e-mail may consist of headers only.
      if (!(error instanceof UnreadableDocument)) throw error;
      expect(['.csv', '.eml', '.html']).toContain(ending);
    }
  },
);

const words = fc.array(fc.stringMatching(/^[a-z]{3,9}$/), { minLength: 1, maxLength: 12 });

property('the words of a page are read in order, without those of scripts', [words], async (list) => {
  const html = list
    .map(
      (word, at) =>
        `<${['p', 'h2', 'div', 'li'][at % 4]}>${word}<script>hidden${at}</script></${['p', 'h2', 'div', 'li'][at % 4]}>`,
    )
    .join('');
  const { text } = await extractText(
    '.html',
    bytesOf(`<html><head><style>hidden</style></head><body>${html}</body>`),
    BOUNDS,
  );
  expect<string[] | null>(text.match(/[a-z]+/g)).toEqual(list);
});

property(
  'the parts left out as navigation are elements of the page',
  [anyOrder(MARKUP['.html'] ?? [], 60)],
  (html) => {
    let count = 0;
    const parser = new Parser({ onopentag: () => void count++ });
    parser.end(html);
    for (const ordinal of navigationOf(html)) expect(ordinal).toBeWithin(0, count);
  },
);

property(
  'the cells of a table and the words of an Office file are read',
  [words],
  async (list) => {
    const files = {
      '.csv': bytesOf(`name\n${list.join('\n')}`),
      '.docx': docxOf(list),
      '.xlsx': xlsxOf([['name'], ...list.map((word) => [word])]),
    };
    for (const [ending, bytes] of Object.entries(files)) {
      const document = await extractText(ending as '.csv', bytes, BOUNDS);
      expectSound(document);
      const found = document.text
        .match(/[a-z]{3,}/g)
        ?.filter((word) => word !== 'name' || list.includes('name'));
      for (const word of list) expect(found).toContain(word);
    }
  },
  { costs: 5 },
);

const shape = '<p:sp><p:txBody><a:p><a:r><a:t>words</a:t></a:r></a:p></p:txBody></p:sp>';
const FILES: [(typeof ENDINGS)[number], Uint8Array][] = [
  ['.docx', docxOf(['Some words', 'and more'])],
  [
    '.xlsx',
    xlsxOf([
      ['name', 'count'],
      ['a', 1],
    ]),
  ],
  ['.pptx', pptxOf([shape])],
  ['.epub', epubOf(['<h1>One</h1><p>words</p>'])],
];
const damage = fc.array(fc.record({ at: fc.nat(), byte: fc.nat(255) }), { maxLength: 6 });

function damaged(bytes: Uint8Array, changes: { at: number; byte: number }[], cut: number | null): Uint8Array {
  const some = Uint8Array.from(cut === null ? bytes : bytes.subarray(0, cut % bytes.length));
  for (const { at, byte } of changes) some[at % some.length] = byte;
  return some;
}

property(
  'a damaged file is read or rejected in time',
  [fc.constantFrom(...FILES), damage, fc.option(fc.nat())],
  async ([ending, bytes], changes, cut) => {
    const started = performance.now();
    const document = await extractText(ending, damaged(bytes, changes, cut), BOUNDS).catch((error) => {
      expect(error).toBeInstanceOf(Error);
    });
    if (document) expectSound(document);
    expect(performance.now() - started).toBeLessThan(5_000);
  },
  { costs: 5 },
);

// In its process, as the service reads it: for some damaged files, the parser also rejects promises that nothing awaits.
const reader = openReader();
afterAll(() => reader.close());
const PDF = pdfOf(['Some words on a page', 'and more']);

property(
  'a damaged PDF is read or rejected in time',
  [damage, fc.option(fc.nat())],
  async (changes, cut) => {
    const started = performance.now();
    await reader.read('a.pdf', damaged(PDF, changes, cut)).catch((error) => {
      expect(error).toBeInstanceOf(UnreadableDocument);
    });
    expect(performance.now() - started).toBeLessThan(10_000);
  },
  { costs: 40 },
);

property(
  'any bytes are read as text or rejected',
  [
    fc.uint8Array({ maxLength: 200 }),
    fc.option(fc.constantFrom('utf-8', 'utf-16', 'latin1', 'shift_jis', 'x'), { nil: undefined }),
  ],
  (bytes, declared) => {
    try {
      const text = decodeText(bytes, declared);
      expect(text).toBe(cleaned(text));
    } catch (error) {
      expect(error).toBeInstanceOf(UnreadableDocument);
    }
  },
);

property('cleaning is idempotent', [anyText], (text) => {
  expect(cleaned(cleaned(text))).toBe(cleaned(text));
  expect(cleaned(text)).not.toMatch(/(?![\t\n])\p{Cc}/u);
});

property(
  'edited Markdown keeps its words',
  [edited(fc.constant('# One\n\nalpha beta\n\n## Two\n\n- gamma\n'), MARKUP['.md'] ?? [])],
  async (text) => {
    fc.pre(/\p{L}/u.test(text));
    const document = await extractText('.md', bytesOf(text), BOUNDS);
    expectSound(document);
  },
);
