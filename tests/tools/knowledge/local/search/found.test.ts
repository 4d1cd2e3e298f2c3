/** When a search counts as successful. */
import { expect, test } from 'bun:test';
import { isFound } from '../../../../../tools/knowledge/local/search/found.ts';
import { openRelevance } from '../../../../../tools/knowledge/local/search/relevance.ts';
import { wantedOf } from '../../../../../tools/knowledge/local/search/wanted.ts';
import { openVocabulary } from '../../../../../tools/knowledge/local/words/vocabulary.ts';

const TEXTS = [
  'The battery of an e-bike is kept at half charge, dry and at 15 degrees in winter.',
  'PRAGMA foreign_keys turns the enforcement of constraints on, for one connection.',
  'A regular expression matches the beginning of a line.',
  'Chains are cleaned with a cloth. Replace the chain when it is worn.',
  'The brakes of a bike are checked every year.',
  'The best regular bread is sold across the street.',
];

interface Asked {
  nearest?: number;
  threshold?: number;
  texts?: string[];
  passages?: number;
}

async function found(
  query: string,
  { nearest, threshold, texts = TEXTS, passages = texts.length }: Asked = {},
): Promise<boolean> {
  const vocabulary = openVocabulary();
  await vocabulary.learn(texts);
  const wanted = wantedOf(query, vocabulary);
  const relevance = openRelevance(wanted, vocabulary.length());
  const candidates = texts.map((text) => ({
    ...relevance({ document: 'a.md', heading: '', text }),
    hit: {
      ...{ id: text, revision: 1, parent: '', heading: '', page: null, start: 0, end: 1 },
      text,
      score: 1,
    },
  }));
  return isFound({ query, nearest, threshold, candidates, terms: wanted.length, passages });
}

test("a passage with half of a question's words, weighted by rarity, counts as found", async () => {
  expect(await found('How is the battery of a bike kept in winter?')).toBe(true);
  expect(await found('When is a worn chain replaced?')).toBe(true);
  expect(await found('How is sourdough bread baked the regular way?')).toBe(false);
  expect(await found('Who won the football cup of bikes?')).toBe(false);
});

test("one rare word of several isn't enough, and the only word of a question is", async () => {
  expect(await found('the bread of Kafka')).toBe(false);
  expect(await found('And the bread?')).toBe(true);
});

test("a large library requires more of a question's words, because coincidences are more likely", async () => {
  const question = 'Is the battery charged at home in winter, in a garage?';
  expect(await found(question)).toBe(true);
  expect(await found(question, { passages: 50_000 })).toBe(false);
  expect(await found('How is the battery of a bike kept in winter?', { passages: 50_000 })).toBe(true);
});

test("a word with only the same ending as a word of the documents isn't a misspelling", async () => {
  expect(await found('hiking trails', { texts: ['We like trains.', ...TEXTS] })).toBe(false);
});

test('misspelt words count as the nearest words of the vocabulary', async () => {
  expect(await found('How is the batery keptt in wintr?')).toBe(true);
  expect(await found('constrants enforcment of forign keys')).toBe(true);
});

test("similar numbers don't match", async () => {
  expect(await found('17 degrees?')).toBe(false);
  expect(await found('15 degrees?')).toBe(true);
});

test('a matching identifier is enough, in a question of any language', async () => {
  expect(await found('Wie schalte ich foreign_keys in meiner Datenbank ein?')).toBe(true);
  expect(await found('Wozu dient eigentlich die Anweisung PRAGMA beim Programmieren?')).toBe(true);
  expect(await found('Wie schalte ich recursive_triggers in meiner Datenbank ein?')).toBe(false);
});

test('the words must be in one passage', async () => {
  expect(
    await found('battery brakes enforcement', { texts: ['A battery.', 'Brakes.', 'Enforcement.'] }),
  ).toBe(false);
});

test('with a cosine threshold, a near passage counts as found even without shared words', async () => {
  expect(await found('accumulators', { nearest: 0.3, threshold: 0.3 })).toBe(true);
  expect(await found('accumulators', { nearest: 0.29, threshold: 0.3 })).toBe(false);
  expect(await found('accumulators', { nearest: 0.9 })).toBe(false);
});

test('a question without words, and a search without passages, find nothing', async () => {
  expect(await found('???')).toBe(false);
  expect(await found('battery', { texts: [] })).toBe(false);
});
