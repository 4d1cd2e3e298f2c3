/** When a search says that it found something. */
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

test('half of what a question asks for, weighed by how rare it is, is a find', async () => {
  expect(await found('How is the battery of a bike kept in winter?')).toBe(true);
  expect(await found('When is a worn chain replaced?')).toBe(true);
  expect(await found('How is sourdough bread baked the regular way?')).toBe(false);
  expect(await found('Who won the football cup of bikes?')).toBe(false);
});

test('one rare word of several is none, and one of one is', async () => {
  expect(await found('the bread of Kafka')).toBe(false);
  expect(await found('And the bread?')).toBe(true);
});

test('a large library takes more of what a question asks for: chance puts more words together', async () => {
  const asked = 'Is the battery charged at home in winter, in a garage?';
  expect(await found(asked)).toBe(true);
  expect(await found(asked, { passages: 50_000 })).toBe(false);
  expect(await found('How is the battery of a bike kept in winter?', { passages: 50_000 })).toBe(true);
});

test('a word that only ends like one of the documents is no mistake', async () => {
  expect(await found('hiking trails', { texts: ['We like trains.', ...TEXTS] })).toBe(false);
});

test('misspelt words count as those of the vocabulary that they are near to', async () => {
  expect(await found('How is the batery keptt in wintr?')).toBe(true);
  expect(await found('constrants enforcment of forign keys')).toBe(true);
});

test('a number is another number', async () => {
  expect(await found('17 degrees?')).toBe(false);
  expect(await found('15 degrees?')).toBe(true);
});

test('an identifier that stands there is enough, in whatever language it is asked for', async () => {
  expect(await found('Wie schalte ich foreign_keys in meiner Datenbank ein?')).toBe(true);
  expect(await found('Wozu dient eigentlich die Anweisung PRAGMA beim Programmieren?')).toBe(true);
  expect(await found('Wie schalte ich recursive_triggers in meiner Datenbank ein?')).toBe(false);
});

test('the words must stand in one passage', async () => {
  expect(
    await found('battery brakes enforcement', { texts: ['A battery.', 'Brakes.', 'Enforcement.'] }),
  ).toBe(false);
});

test('a passage that is near enough is a find where the cosine tells, whatever its words', async () => {
  expect(await found('accumulators', { nearest: 0.3, threshold: 0.3 })).toBe(true);
  expect(await found('accumulators', { nearest: 0.29, threshold: 0.3 })).toBe(false);
  expect(await found('accumulators', { nearest: 0.9 })).toBe(false);
});

test('a question without words, and no passages, are no find', async () => {
  expect(await found('???')).toBe(false);
  expect(await found('battery', { texts: [] })).toBe(false);
});
