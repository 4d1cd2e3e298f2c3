/** Expands a query that found little with words of the best passages. */
import { expect, test } from 'bun:test';
import { feedbackOf } from '../../../../../tools/knowledge/local/search/feedback.ts';
import { wantedOf } from '../../../../../tools/knowledge/local/search/wanted.ts';
import { openVocabulary } from '../../../../../tools/knowledge/local/words/vocabulary.ts';

test('words of several of the best passages are added with a low weight, except words of the query', async () => {
  const texts = [
    'The sealant of a tubeless tyre dries within months.',
    'Fresh sealant keeps a tubeless tyre tight in 2024.',
    'A chain is cleaned with a cloth.',
    'The brakes of a bike.',
  ];
  const vocabulary = openVocabulary();
  await vocabulary.learn(texts);
  const wanted = wantedOf('tyre loses air', vocabulary);
  const best = texts.slice(0, 3).map((text) => ({ hit: { heading: '', text } }));
  const more = feedbackOf(best, wanted, vocabulary);
  expect(more.map(({ word }) => word).toSorted()).toEqual(['sealant', 'tubeless']);
  for (const { weight } of more) expect(weight).toBeLessThan(Math.min(...wanted.map((each) => each.weight)));
  expect(feedbackOf([], wanted, vocabulary)).toEqual([]);
});
