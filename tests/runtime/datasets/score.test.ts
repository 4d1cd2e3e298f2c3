/** When an answer counts as correct in an evaluation. */
import { expect, test } from 'bun:test';
import type { Expectation } from '../../../runtime/datasets/cases.ts';
import { mismatches } from '../../../runtime/datasets/score.ts';

const ANSWER = {
  agent_response: 'There are 3 stores [1].',
  outputs: [
    {
      agent: 'sql_manipulation_agent',
      content: 'There are 3 stores [1].',
      data: {
        columns: [{ name: 'store' }, { name: 'revenue' }],
        rows: [
          { store: 'A', revenue: 0.1 + 0.2 },
          { store: 'B', revenue: null },
        ],
        citations: [{ document: 'warranty.md', quote: 'The frame is covered for five years.' }],
      },
    },
  ],
};

const CASES: [Expectation, boolean][] = [
  [{ exact: ' There are 3 stores [1].\n' }, true],
  [{ exact: 'There are 3 stores' }, false],
  [{ contains: ['three'] }, false],
  [{ contains: ['STORES', '3'] }, true],
  [{ json: { 'outputs[0].data.rows[1].store': 'B', agent_response: 'There are 3 stores [1].' } }, true],
  [{ json: { 'outputs[0].data.rows[1].revenue': null } }, true],
  [{ json: { 'outputs[1].data': null } }, false],
  [{ json: { 'outputs.constructor': 'x' } }, false],
  [
    {
      rows: [
        ['B', null],
        ['A', 0.3],
      ],
    },
    true,
  ],
  [{ rows: [['A'], ['B']] }, true],
  [{ rows: [{ store: 'B', revenue: null }, { revenue: 0.3 }] }, true],
  [{ rows: [{ store: 'B' }, ['A']] }, true],
  [{ rows: [{ store: 'A' }, { revenue: 'B' }] }, false],
  [{ rows: [{ store: 'A' }, { shop: 'B' }] }, false],
  [{ rows: [{ store: 'A' }] }, false],
  [{ rows: [['A']] }, false],
  [{ rows: [['A'], ['A']] }, false],
  [
    {
      rows: [
        ['A', 0.31],
        ['B', null],
      ],
    },
    false,
  ],
  [{ citation: { document: 'warranty.md' } }, true],
  [{ citation: { document: 'warranty.md', quote: 'covered for FIVE years' } }, true],
  [{ citation: { document: 'warranty.md', quote: 'ten' } }, false],
  [{ citation: { document: 'other.md' } }, false],
];

test.each(CASES)('the answer meets %j: %p', (expected, isCorrect) => {
  expect(mismatches(expected, ANSWER).length === 0).toBe(isCorrect);
});

test('the differing rows of the result that differs least are reported', () => {
  const closest = {
    agent: 'a',
    content: '',
    data: { columns: [{ name: 'n' }], rows: [{ n: 1 }, { n: 2 }, { n: 3 }] },
  };
  const other = { agent: 'b', content: '', data: { columns: [{ name: 'n' }], rows: [{ n: 9 }] } };
  const answer = { agent_response: '', outputs: [other, closest] };
  expect(mismatches({ rows: [[1], { n: 2 }, ['three']] }, answer)).toEqual([
    'the SQL result lacks ["three"]',
    'the SQL result has unexpected {"n":3}',
  ]);
  expect(mismatches({ rows: [[1]] }, { ...answer, outputs: [] })).toEqual(['the answer has no SQL result']);
  const many = Array.from({ length: 9 }, (_, index) => [100 + index]);
  expect(mismatches({ rows: [[1], [2], [3], ...many] }, answer)).toEqual([
    ...many.slice(0, 5).map((row) => `the SQL result lacks ${JSON.stringify(row)}`),
    'the SQL result lacks 4 more such rows',
  ]);
});

test('data of an unexpected shape does not match, and scoring it does not fail', () => {
  const otherShapes = [
    null,
    'text',
    { rows: 'two', columns: [] },
    { rows: [1], citations: 'warranty.md' },
    { rows: [null, 'A'], columns: ['store'], citations: [null, 'warranty.md', { document: 'warranty.md' }] },
  ];
  const outputs = otherShapes.map((data) => ({ agent: 'a', content: '', data }));
  const answer = { agent_response: '', outputs };
  expect(mismatches({ rows: [['A'], { store: 'A' }] }, answer)).toEqual([
    'the SQL result lacks ["A"]',
    'the SQL result lacks {"store":"A"}',
  ]);
  expect(mismatches({ citation: { document: 'warranty.md', quote: 'frame' } }, answer)).toEqual([
    'does not cite this passage of warranty.md',
  ]);
  expect(mismatches({ citation: { document: 'warranty.md' } }, answer)).toEqual([]);
  expect(mismatches({ json: { 'outputs[9].data': 1 } }, answer)).toEqual(['outputs[9].data is missing']);
});
