/** How documents are split: size limits, positions, ids, and difficult texts. */
import { expect, test } from 'bun:test';
import { cutDocument } from '../../../../tools/knowledge/documents/cut.ts';
import { UnreadableDocument } from '../../../../tools/knowledge/documents/reader.ts';
import type { DocumentText } from '../../../../tools/knowledge/documents/text/document-text.ts';
import { estimateTextTokens } from '../../../../tools/models/usage/tokens.ts';

function plain(text: string): DocumentText {
  return { text, sections: [{ headings: [], page: null, start: 0, end: text.length }] };
}

const PROSE = Array.from({ length: 300 }, (_, index) => `Sentence number ${index} speaks of "bikes". `).join(
  '',
);
const HARD = {
  prose: PROSE,
  'one line of words': 'word '.repeat(100_000),
  'no space at all': 'x'.repeat(500_000),
  Japanese: '日本語の文章です。'.repeat(10_000),
  'Chinese without marks': '自行车'.repeat(10_000),
  'surrogate pairs': '𝒳'.repeat(20_000),
  'ASCII, then others': `${'a'.repeat(10_000)}${'語'.repeat(10_000)}`,
};

test.each(Object.entries(HARD))('%s: every passage and part keeps its size limit and position', (_, text) => {
  const { chunks, parents } = cutDocument('a.txt', plain(text));
  const parts = new Map(parents.map((parent) => [parent.id, parent.text]));
  let from = 0;
  for (const chunk of chunks) {
    expect(text.slice(chunk.start, chunk.end)).toBe(chunk.text);
    expect(text.slice(from, chunk.start).trim()).toBe('');
    expect(chunk.text.isWellFormed()).toBe(true);
    expect(estimateTextTokens(chunk.text)).toBeLessThanOrEqual(200);
    expect(parts.get(chunk.parent)).toContain(chunk.text);
    from = chunk.end;
  }
  expect(text.slice(from).trim()).toBe('');
  for (const part of parts.values()) expect(estimateTextTokens(part)).toBeLessThanOrEqual(800);
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length);
  expect(parents.length).toBeLessThan(chunks.length);
});

test('passages end with sentences, and none is tiny', () => {
  const { chunks } = cutDocument('a.txt', plain(PROSE));
  for (const { text } of chunks) {
    expect(text).toEndWith('.');
    expect(estimateTextTokens(text)).toBeGreaterThan(100);
  }
});

test("an abbreviation before a lower-case letter doesn't end a sentence", () => {
  const text = `${'Bring tools, e.g. a pump or approx. two levers, to the ride. '.repeat(40)}`;
  const { chunks } = cutDocument('a.txt', plain(text));
  expect(chunks.length).toBeGreaterThan(1);
  for (const chunk of chunks) expect(chunk.text).toStartWith('Bring tools');
});

test('a passage never spans two sections, but a part may', () => {
  const text = 'One is short.\nTwo is short.\n';
  const sections = [
    { headings: ['A'], page: null, start: 0, end: 14 },
    { headings: ['A', 'B'], page: null, start: 14, end: text.length },
  ];
  const { chunks, parents } = cutDocument('a.md', { text, sections });
  expect(chunks.map(({ heading, text }) => [heading, text])).toEqual([
    ['A', 'One is short.'],
    ['A > B', 'Two is short.'],
  ]);
  expect(parents.map(({ text }) => text)).toEqual(['One is short.\nTwo is short.']);
});

test('ids depend on document, position and text, and are stable', () => {
  const first = cutDocument('a.txt', plain(PROSE));
  expect(cutDocument('a.txt', plain(PROSE))).toEqual(first);
  for (const { id } of [...first.chunks, ...first.parents]) expect(id).toMatch(/^[0-9a-f]{32}$/);
  const ids = new Set(first.chunks.map(({ id }) => id));
  const others = [cutDocument('b.txt', plain(PROSE)), cutDocument('a.txt', plain(` ${PROSE}`))];
  for (const { chunks } of others) expect(chunks.filter(({ id }) => ids.has(id))).toEqual([]);
});

test('text without words is not a passage', () => {
  expect(cutDocument('a.md', plain('---\n\n***\n')).chunks).toEqual([]);
});

test('more passages than allowed are rejected', () => {
  expect(() => cutDocument('a.txt', plain(PROSE), { maxChunks: 3 })).toThrow(
    new UnreadableDocument('It has more than 3 passages: split it into several documents'),
  );
});
