/** What the figures of the retrieval evaluation count. */
import { expect, test } from 'bun:test';
import { evaluate, figures, foundRight } from '../../../../graphs/knowledge-base-agent/eval/evaluate.ts';
import type { Question } from '../../../../graphs/knowledge-base-agent/eval/questions.ts';

const asked = (kind: Question['kind'], question: string, quote?: string): Question => ({
  split: 'dev',
  kind,
  question,
  answers: quote === undefined ? [] : [{ document: 'a.md', quote }],
});

const passages = ['One **bold**\nword.', 'Two.', 'Three.', 'Four.', 'Five.', 'Six.'].map((text) => ({
  document: 'a.md',
  text,
}));

test('an answer at the third place counts a third, and one at the sixth is not among five', async () => {
  const judged = await evaluate(
    [asked('mixed', 'third', 'three'), asked('mixed', 'sixth', 'SIX'), asked('lexical', 'none', 'seven')],
    async () => ({ passages }),
  );
  expect(judged.map(({ rank }) => rank)).toEqual([3, 6, undefined]);
  const { questions, recallAt5, mrr, ndcgAt10 } = figures(judged, 'mixed');
  expect({ questions, recallAt5 }).toEqual({ questions: 2, recallAt5: 0.5 });
  expect(mrr).toBeCloseTo((1 / 3 + 1 / 6) / 2);
  expect(ndcgAt10).toBeCloseTo((1 / 2 + 1 / Math.log2(7)) / 2);
  expect(figures(judged).questions).toBe(3);
  expect(figures(judged).recallAt5).toBeCloseTo(1 / 3);
});

test('a quote answers whatever its marks and line breaks are, and only in its own document', async () => {
  const question = asked('mixed', 'first', 'one bold word');
  const [here, elsewhere] = await Promise.all([
    evaluate([question], async () => ({ passages })),
    evaluate([question], async () => ({ passages: passages.map((each) => ({ ...each, document: 'b.md' })) })),
  ]);
  expect([here[0]?.rank, elsewhere[0]?.rank]).toEqual([1, undefined]);
});

test('more passages than ten are not looked at', async () => {
  const many = Array.from({ length: 12 }, (_, at) => ({ document: 'a.md', text: `passage ${at} end` }));
  const judged = await evaluate([asked('mixed', 'late', 'passage 10 end')], async () => ({ passages: many }));
  expect(judged[0]?.rank).toBeUndefined();
});

test('found is right where it says whether there is an answer', async () => {
  const judged = await evaluate(
    [asked('mixed', 'yes', 'one'), asked('mixed', 'no', 'one'), asked('unanswerable', 'no')],
    async (question) => ({ found: question === 'yes', passages }),
  );
  expect(foundRight(judged)).toEqual([
    { kind: 'paraphrase', right: 0, of: 0 },
    { kind: 'mixed', right: 1, of: 2 },
    { kind: 'lexical', right: 0, of: 0 },
    { kind: 'unanswerable', right: 1, of: 1 },
  ]);
});
