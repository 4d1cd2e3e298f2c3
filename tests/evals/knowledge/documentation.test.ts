/** The questions about documentation, and how their metrics are computed. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CORPORA,
  copyCorpus,
  corpusQuestions,
  corpusWords,
  type DocumentQuestion,
} from '../../../evals/knowledge/documentation.ts';
import { documentationReport } from '../../../evals/knowledge/documentation-report.ts';
import {
  documentFigures,
  type JudgedQuestion,
  ORDERS,
  type Order,
} from '../../../evals/knowledge/judge-documents.ts';

function judged(
  documents: string[],
  order: string[],
  kind: DocumentQuestion['kind'] = 'plain',
): JudgedQuestion {
  return {
    question: { split: 'dev', kind, question: 'How?', documents },
    documents: Object.fromEntries(ORDERS.map((each) => [each, order])) as Record<Order, string[]>,
    found: true,
    foundWithWords: true,
    ms: 1,
  };
}

test('each half has answerable questions of every kind, and enough unanswerable ones', async () => {
  for (const corpus of CORPORA) {
    const questions = await corpusQuestions(corpus);
    for (const split of ['dev', 'held_out']) {
      const half = questions.filter((question) => question.split === split);
      expect(half.filter(({ documents }) => documents.length === 0)).toHaveLength(split === 'dev' ? 50 : 20);
      expect(half.filter(({ documents }) => documents.length > 0).length).toBeGreaterThanOrEqual(50);
    }
    const texts = questions.map(({ question }) => question);
    expect(new Set(texts).size).toBe(questions.length);
    expect([...(await corpusWords(corpus)).keys()]).toEqual(texts);
  }
});

test('a document counts once, at its first position', () => {
  const { recallAt5, ndcgAt10 } = documentFigures([judged(['b', 'c'], ['a', 'b', 'b', 'c'])], 'hybrid');
  expect(recallAt5).toBe(1);
  expect(ndcgAt10).toBeCloseTo((1 / Math.log2(3) + 1 / Math.log2(5)) / (1 + 1 / Math.log2(3)));
  const sixth = documentFigures([judged(['b'], ['a', 'a', 'a', 'a', 'a', 'b'])], 'hybrid');
  expect(sixth).toEqual({ questions: 1, recallAt5: 0, ndcgAt10: 1 / Math.log2(7) });
});

test('the report says how often "found" was wrong', () => {
  const corpus = CORPORA[0];
  if (!corpus) throw new Error('there is a corpus');
  const all = [
    judged(['b'], ['b']),
    { ...judged(['b'], ['a']), found: false },
    judged([], ['a'], 'unanswerable'),
  ];
  const report = documentationReport([{ corpus, documents: 2, passages: 3, judged: all }]);
  expect(report).toContain('| hybrid | 0.50 0.500 | 0.50 0.500 |');
  expect(report).toContain('| sqlite, development | 1 of 2 | 0 of 0 | 0 of 0 | 0 of 0 | 1 of 1 |');
  expect(report).toContain(
    '| sqlite, development, other words | 0 of 2 | 0 of 0 | 0 of 0 | 0 of 0 | 1 of 1 |',
  );
});

test('documents are copied with short names; a folder without them is an error that says how to get them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-documentation-'));
  const [, debian] = CORPORA;
  if (!debian) throw new Error('there is a second corpus');
  try {
    await expect(copyCorpus(debian, folder, join(folder, 'into'))).rejects.toThrow('--documentation');
    for (const path of [
      'doc/git/html/git-add.html',
      'perl/5.36.0/pod/perlre.pod',
      'doc/python3.11/html/library/re.html',
    ])
      await Bun.write(join(folder, 'usr/share', path), 'x');
    expect(await copyCorpus(debian, folder, join(folder, 'into'))).toBe(3);
    for (const name of ['git/git-add.html', 'perl/pod/perlre.txt', 'python/library/re.html'])
      expect(await Bun.file(join(folder, 'into', name)).exists()).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
