/** The task `sql_answer`: the rows of a query in a sentence. */
import { describe, expect, test } from 'bun:test';
import type { SqlCell } from '../../../../../tools/sql/engine.ts';
import { resultText } from '../../../../../tools/sql/result-text.ts';
import { complete, responseFormat } from '../complete.ts';

interface Given {
  question: string;
  /** Columns as `name TYPE`. */
  columns: string[];
  rows: SqlCell[][];
  truncated?: boolean;
}

function result({ columns, rows, truncated = false }: Given): string {
  const named = columns.map((column) => {
    const [name = '', type = ''] = column.split(' ');
    return { name, type };
  });
  const objects = rows.map((row) => Object.fromEntries(named.map(({ name }, at) => [name, row[at] ?? null])));
  return resultText('SELECT 1', { columns: named, rows: objects, rowCount: rows.length, truncated });
}

const say = (data: Given, extra = {}) =>
  complete(
    'sql_answer',
    [
      ['system', `Say what the rows are.\n${result(data)}`],
      ['user', data.question],
    ],
    extra,
  );

const UNITS = ['name VARCHAR', 'units_sold HUGEINT'];

describe('one row', () => {
  test('with a name and a count states both, with the unit of the question', async () => {
    expect(
      await say({
        question: 'Which store sold the most bikes?',
        columns: UNITS,
        rows: [['Bike Hub Berlin', 512]],
      }),
    ).toBe('Bike Hub Berlin: 512 bikes.');
  });

  test('with a figure states it, with exact decimals', async () => {
    const revenue = { columns: ['revenue DECIMAL(38,2)'], rows: [['2405092.60']] };
    expect(await say({ question: 'Total revenue in 2022', ...revenue })).toBe('Revenue 2,405,092.60.');
    expect(await say({ question: 'Revenue in euros?', ...revenue })).toBe('Revenue 2,405,092.60 euros.');
    expect(
      await say({
        question: 'How many e-bikes were sold?',
        columns: ['units_sold HUGEINT'],
        rows: [['1640']],
      }),
    ).toBe('1,640 e-bikes.');
  });

  test('without a value says that no value was found', async () => {
    expect(await say({ question: 'Revenue in 1999?', columns: ['revenue DOUBLE'], rows: [[null]] })).toBe(
      'There is no such figure: no rows fit this question.',
    );
  });
});

test('years and IDs are not quantities, and one is not a plural', async () => {
  const years = { columns: ['year BIGINT', 'units_sold HUGEINT'], rows: [[2023, 1409]] };
  expect(await say({ question: 'Which year sold the most bikes?', ...years })).toBe('2023: 1,409 bikes.');
  expect(
    await say({
      question: 'bikes per year',
      columns: years.columns,
      rows: [
        [2023, 409],
        [2024, 1],
      ],
    }),
  ).toBe('There are 2 rows; the first is 2023 with 409 bikes, the last 2024 with 1 bike.');
  const stores = { columns: ['city VARCHAR', 'number_of_stores BIGINT'], rows: [['Munich', 1]] };
  expect(await say({ question: 'Which city has the most stores?', ...stores })).toBe('Munich: 1 store.');
});

describe('several rows', () => {
  const rows = [
    ['Canal Bikes', 1032],
    ['Milan Cycles', 346],
  ];

  test('are counted, with the first and the last named', async () => {
    expect(await say({ question: 'How many bikes per store?', columns: UNITS, rows })).toBe(
      'There are 2 rows; the first is Canal Bikes with 1,032 bikes, the last Milan Cycles with 346 bikes.',
    );
  });

  test('that are truncated are not described as complete', async () => {
    expect(await say({ question: 'bikes per store', columns: UNITS, rows, truncated: true })).toBe(
      'There are at least 2 rows; the first is Canal Bikes with 1,032 bikes.',
    );
  });
});

test('an empty result is reported as empty', async () => {
  expect(await say({ question: 'x', columns: UNITS, rows: [] })).toBe('No rows fit this question.');
});

test('the answer may be asked for in JSON', async () => {
  const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };
  const data = { question: 'x', columns: UNITS, rows: [] };
  expect(await say(data, responseFormat(schema))).toBe('{"answer":"No rows fit this question."}');
});

test('the task `answer` gives the same answer if its system prompt has a result, and only then', async () => {
  const data = { question: 'How many?', columns: ['number_of_stores BIGINT'], rows: [['12']] };
  const system = ['system', `Say it.\n${result(data)}`] as const;
  expect(await complete('answer', [system, ['user', 'How many stores?']])).toBe('12 stores.');
  expect(await complete('answer', [['user', result(data)]])).not.toContain('12 stores.');
});

test('a request without a result is rejected', () => {
  expect(complete('sql_answer', [['user', 'How many?']])).rejects.toThrow("cannot do 'sql_answer'");
});
