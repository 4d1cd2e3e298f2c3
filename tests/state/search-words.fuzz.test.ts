/** The words of texts and queries of the search. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { tokensOf, wordSpans } from '../../state/search/words.ts';
import { anyText, property } from '../support/property.ts';

const ascii = fc.string({ unit: 'binary-ascii', maxLength: 200 });

property('the tokens of any text are those of its words', [fc.oneof(ascii, anyText)], (text) => {
  expect(tokensOf(text)).toEqual(wordSpans(text).flatMap(({ tokens }) => tokens));
});

test.each([
  ['In 1817, by K-D (x86_64)', ['in', '1817', 'by', 'k', 'd', 'x86', '64']],
  ['Größe, Ångström', ['große', 'angstrom']],
  ['東京へ行く', ['東', '京', 'へ', '行', 'く']],
  ['x'.repeat(100), ['x'.repeat(60)]],
  ['... --', []],
])('the tokens of %j', (text, tokens) => {
  expect(tokensOf(text)).toEqual(tokens);
});
