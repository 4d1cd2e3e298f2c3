/** The relevance of passages, and their order. */
import { expect, test } from 'bun:test';
import { openRelevance } from '../../../../../tools/knowledge/local/search/relevance.ts';
import { spread } from '../../../../../tools/knowledge/local/search/spread.ts';
import { withSupport } from '../../../../../tools/knowledge/local/search/support.ts';
import { wantedOf } from '../../../../../tools/knowledge/local/search/wanted.ts';
import { openVocabulary } from '../../../../../tools/knowledge/local/words/vocabulary.ts';

const TEXTS = [
  'The chain is worn.',
  'The brake of a bike.',
  'Nothing of it.',
  'A partial index.',
  'The index of a book.',
];

async function scored(query: string, ...passages: { document?: string; heading?: string; text: string }[]) {
  const vocabulary = openVocabulary();
  await vocabulary.learn(TEXTS);
  const relevance = openRelevance(wantedOf(query, vocabulary), vocabulary.length());
  return passages.map((passage) => relevance({ document: 'a.md', heading: '', ...passage }));
}

async function isBetter(
  query: string,
  ...passages: [Parameters<typeof scored>[1], Parameters<typeof scored>[1]]
) {
  const [one, other] = await scored(query, ...passages);
  return (one?.score ?? 0) > (other?.score ?? 0);
}

test("a word in the heading or the document's name counts more than in the text", async () => {
  const text = { text: 'A worn chain and a brake.' };
  expect(await isBetter('brake', { heading: 'Brakes', text: 'Rub them.' }, text)).toBe(true);
  expect(await isBetter('brake', { document: 'bikes/brake-care.md', text: 'Rub them.' }, text)).toBe(true);
  expect(await isBetter('brake', { document: 'BrakeCare.md', text: 'Rub them.' }, text)).toBe(true);
});

test('adjacent words count more than separate ones', async () => {
  const apart = { text: 'An index that is said to be very small and partial.' };
  expect(
    await isBetter('partial index', { text: 'A very small thing: that is a partial index.' }, apart),
  ).toBe(true);
});

test('a misspelt word counts as the nearest word of the vocabulary', async () => {
  const [passage] = await scored('a partail indx', { text: 'Partial indexes.' });
  expect(passage).toMatchObject({ matched: 2 });
  expect(passage?.share).toBeGreaterThan(0.8);
});

test('near-duplicates come after all others', () => {
  const passage = (id: string, text: string) => ({ id, hit: { text } });
  const order = [
    passage('a', 'replace the chain when it is worn by rain'),
    passage('copy of a', 'replace the chain when it is worn by rain today'),
    passage('b', 'clean the brake with a cloth'),
  ];
  expect(spread(order, 3).map(({ id }) => id)).toEqual(['a', 'b', 'copy of a']);
  expect(spread(order, 2).map(({ id }) => id)).toEqual(['a', 'b']);
});

test('a passage gets a bonus from the best other passage of its document', () => {
  const candidates = [
    { document: 'a', score: 10 },
    { document: 'b', score: 9 },
    { document: 'b', score: 8 },
    { document: 'c', score: 0 },
  ];
  expect(withSupport(candidates).map(({ score }) => score)).toEqual([10, 9 + 1.6, 8 + 1.8, 0]);
});
