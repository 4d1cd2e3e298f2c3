/** The words of all passages: their frequency, and corrections of misspelt words. */
import { expect, test } from 'bun:test';
import { openVocabulary } from '../../../../../tools/knowledge/local/words/vocabulary.ts';

async function vocabularyOf(...texts: string[]) {
  const vocabulary = openVocabulary();
  await vocabulary.learn(texts);
  return vocabulary;
}

test('a passage counts once for a term, with any form of the word', async () => {
  const vocabulary = await vocabularyOf('Corrupt, corrupted and CORRUPTION.', 'A corruption.', 'Nothing.');
  expect(vocabulary.count('corrupt')).toBe(2);
  expect(vocabulary.passages()).toBe(3);
  expect(vocabulary.weight('corrupt')).toBeLessThan(vocabulary.weight('noth'));
  expect(vocabulary.weight('unknown')).toBeGreaterThan(vocabulary.weight('noth'));
});

test('words of other scripts and with diacritics are words', async () => {
  const vocabulary = await vocabularyOf('Die Größe eines Rades: übergroß. Велосипед и 自転車.');
  for (const term of ['ubergroß', 'велосипед', '自転車'])
    expect([term, vocabulary.count(term)]).toEqual([term, 1]);
});

test('similar words have a small edit distance, and the nearest and most frequent come first', async () => {
  const vocabulary = await vocabularyOf('transaction transact', 'transactions', 'forest');
  expect(vocabulary.alike('transacton', 2).map(({ word, edits }) => [word, edits])).toEqual([
    ['transaction', 1],
    ['transact', 2],
    ['transactions', 2],
  ]);
  expect(vocabulary.alike('forst', 1).map(({ word }) => word)).toEqual(['forest']);
  expect(vocabulary.alike('xyzzy', 2)).toEqual([]);
});

test('tens of thousands of words are kept apart', async () => {
  const words = Array.from({ length: 60_000 }, (_, at) => `word${at.toString(36)}`);
  const vocabulary = await vocabularyOf(words.join(' '), words.slice(0, 100).join('\n'));
  expect(vocabulary.alike('wordzz1', 0)).toEqual([]);
  expect(vocabulary.count('word0')).toBe(2);
  expect(vocabulary.count('word18g')).toBe(1);
});
