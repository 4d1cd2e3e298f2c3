/** The chart of a result, and that column names are never interpreted. */
import { expect, test } from 'bun:test';
import { chartOf } from '../../../graphs/sql-manipulation-agent/chart.ts';
import type { SqlCell } from '../../../tools/sql/engine.ts';

/** Columns as `name type`, then the rows. */
function result(columns: string[], ...rows: SqlCell[][]) {
  const named = columns.map((column) => {
    const [name = '', type = ''] = column.split(' ');
    return { name, type };
  });
  const cells = rows.map((row) =>
    Object.fromEntries(named.map(({ name }, index) => [name, row[index] ?? null])),
  );
  return { columns: named, rows: cells, rowCount: rows.length, truncated: false, durationMs: 1 };
}

const shapeOf = (chart: ReturnType<typeof chartOf>) => {
  const { mark, encoding } = chart as {
    mark: string;
    encoding: { x: { field: string }; y: { field: string } };
  };
  return [mark, encoding.x.field, encoding.y.field];
};

test('a time gets a line, names get bars, two numbers get points; the last number is the height', () => {
  const days = result(['id INTEGER', 'day DATE', 'sold BIGINT'], [1, '2024-01-01', 3], [2, '2024-01-02', 4]);
  expect(shapeOf(chartOf(days))).toEqual(['line', 'day', 'sold']);
  const cities = result(['city VARCHAR', 'sold BIGINT'], ['Bern', 3], ['Zug', 4]);
  expect(shapeOf(chartOf(cities))).toEqual(['bar', 'city', 'sold']);
  const years = result(['year BIGINT', 'sold BIGINT'], [2023, 3], [2024, 4]);
  expect(shapeOf(chartOf(years))).toEqual(['bar', 'year', 'sold']);
  const points = result(['price DOUBLE', 'sold BIGINT'], [1.5, 3], [2.5, 4]);
  expect(shapeOf(chartOf(points))).toEqual(['point', 'price', 'sold']);
});

test('it contains the two columns that it draws, and a name with dots is not a path', () => {
  const chart = chartOf(result(['a.b[c] VARCHAR', 'x INTEGER', 'n INTEGER'], ['p', 1, 2], ['q', 3, 4]));
  expect(shapeOf(chart)).toEqual(['bar', 'a\\.b\\[c\\]', 'n']);
  expect(chart?.data).toEqual({
    values: [
      { 'a.b[c]': 'p', n: 2 },
      { 'a.b[c]': 'q', n: 4 },
    ],
  });
});

test('one row, one column, no number, numbers as text, or too many bars get none', () => {
  const many = Array.from({ length: 51 }, (_, index) => [`c${index}`, index]);
  for (const none of [
    result(['city VARCHAR', 'n INTEGER'], ['Bern', 1]),
    result(['n INTEGER'], [1], [2]),
    result(['a VARCHAR', 'b VARCHAR'], ['x', 'y'], ['x', 'y']),
    result(['a VARCHAR', 'n HUGEINT'], ['x', '9007199254740993'], ['y', '9007199254740994']),
    result(['city VARCHAR', 'n INTEGER'], ...many),
  ])
    expect(chartOf(none)).toBeNull();
});
