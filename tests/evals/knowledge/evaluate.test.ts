/** How the metrics of the retrieval evaluation are computed. */
import { expect, test } from 'bun:test';
import { evaluate, figures, foundRight } from '../../../evals/knowledge/evaluate.ts';
import type { Question } from '../../../evals/knowledge/questions.ts';
import type { Passage } from '../../../tools/knowledge/library.ts';

const questionOf = (kind: Question['kind'], question: string, quote?: string): Question => ({
  split: 'dev',
  kind,
  question,
  answers: quote === undefined ? [] : [{ document: 'a.md', quote }],
});

/** Sorted by the lexical score, best first. */
const passages = ['One **bold**\nword.', 'Two.', 'Three.', 'Four.', 'Five.', 'Six.'].map(
  (text, at): Passage => ({
    id: `${at}`,
    document: 'a.md',
    heading: '',
    page: null,
    start: 0,
    end: text.length,
    text,
    context: text,
    scores: { vector: at < 3 ? at / 10 : null, text: 6 - at, fused: 1 / (at + 1) },
  }),
);

const searched = async () => ({ found: true, passages });

test('an answer at rank 3 counts 1/3, and one at rank 6 is not in the top five', async () => {
  const judged = await evaluate(
    [
      questionOf('mixed', 'third', 'three'),
      questionOf('mixed', 'sixth', 'SIX'),
      questionOf('lexical', 'none', 'seven'),
    ],
    searched,
  );
  expect(judged.map(({ ranks }) => ranks.hybrid)).toEqual([3, 6, undefined]);
  const { questions, recallAt5, mrr, ndcgAt10 } = figures(judged, 'hybrid', 'mixed');
  expect({ questions, recallAt5 }).toEqual({ questions: 2, recallAt5: 0.5 });
  expect(mrr).toBeCloseTo((1 / 3 + 1 / 6) / 2);
  expect(ndcgAt10).toBeCloseTo((1 / 2 + 1 / Math.log2(7)) / 2);
  expect(figures(judged, 'hybrid').questions).toBe(3);
  expect(figures(judged, 'hybrid').recallAt5).toBeCloseTo(1 / 3);
});

test('each retrieval method ranks its own results', async () => {
  const judged = await evaluate(
    [questionOf('mixed', 'first', 'one'), questionOf('mixed', 'fourth', 'four')],
    searched,
  );
  expect(judged.map(({ ranks }) => ranks)).toEqual([
    { vector: 3, text: 1, hybrid: 1 },
    { vector: undefined, text: 4, hybrid: 4 },
  ]);
});

test('a quote matches regardless of punctuation and line breaks, and only in its own document', async () => {
  const question = questionOf('mixed', 'first', 'one bold word');
  const elsewhere = passages.map((passage) => ({ ...passage, document: 'b.md' }));
  const judged = [
    await evaluate([question], searched),
    await evaluate([question], async () => ({ found: true, passages: elsewhere })),
  ];
  expect(judged.flat().map(({ ranks }) => ranks.hybrid)).toEqual([1, undefined]);
});

test('only the first ten passages count', async () => {
  const [first] = passages;
  if (!first) throw new Error('there are passages');
  const many = Array.from({ length: 12 }, (_, at) => ({ ...first, text: `passage ${at} end` }));
  const judged = await evaluate([questionOf('mixed', 'late', 'passage 10 end')], async () => ({
    found: true,
    passages: many,
  }));
  expect(judged[0]?.ranks.hybrid).toBeUndefined();
});

test('"found" is correct if it says whether the documents have an answer', async () => {
  const judged = await evaluate(
    [
      questionOf('mixed', 'yes', 'one'),
      questionOf('mixed', 'no', 'one'),
      questionOf('unanswerable', 'nothing'),
    ],
    async (question) => ({ found: question === 'yes', passages }),
  );
  expect(foundRight(judged)).toEqual([
    { kind: 'paraphrase', right: 0, of: 0 },
    { kind: 'mixed', right: 1, of: 2 },
    { kind: 'lexical', right: 0, of: 0 },
    { kind: 'misspelt', right: 0, of: 0 },
    { kind: 'unanswerable', right: 1, of: 1 },
  ]);
});
