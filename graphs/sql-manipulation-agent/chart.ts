/**
 * Creates a chart of a result if its columns are suitable: a Vega-Lite specification,
 * https://vega.github.io/vega-lite/docs/spec.html
 */
import type { Column, QueryResult, SqlCell } from '../../tools/sql/engine.ts';

const SCHEMA = 'https://vega.github.io/schema/vega-lite/v5.json';
const MAX_BARS = 50;

type Kind = 'quantitative' | 'temporal' | 'nominal';

/** A line over time, bars of names, or points of two numbers; null if nothing fits or there are too few rows. */
export function chartOf({ columns, rows }: QueryResult): Record<string, unknown> | null {
  if (rows.length < 2) return null;
  const kinds = columns.flatMap((column) => {
    const kind = kindOf(column, rows);
    return kind ? [{ name: column.name, kind }] : [];
  });
  const first = (kind: Kind) => kinds.find((one) => one.kind === kind);
  const numbers = kinds.filter(({ kind }) => kind === 'quantitative');
  const [x, y] = [first('temporal') ?? first('nominal') ?? numbers[0], numbers.at(-1)];
  if (!x || !y || x.name === y.name) return null;
  if (x.kind === 'nominal' && rows.length > MAX_BARS) return null;
  return {
    $schema: SCHEMA,
    mark: MARKS[x.kind],
    encoding: {
      x: {
        field: fieldOf(x.name),
        type: x.kind,
        title: x.name,
        ...(x.kind === 'nominal' ? { sort: null } : {}),
      },
      y: { field: fieldOf(y.name), type: 'quantitative', title: y.name },
    },
    data: { values: rows.map((row) => ({ [x.name]: row[x.name], [y.name]: row[y.name] })) },
  };
}

const MARKS: Record<Kind, string> = { temporal: 'line', nominal: 'bar', quantitative: 'point' };

const NUMBER =
  /^(TINY|SMALL|BIG|HUGE|U(TINY|SMALL|BIG|HUGE)?)?INT|^(DECIMAL|NUMERIC|DOUBLE|FLOAT|REAL|MONEY)/i;
const TIME = /^(DATE|TIMESTAMP|DATETIME)/i;
const YEAR = /^(\w+_)?year$/i;

function kindOf({ name, type }: Column, rows: { [column: string]: SqlCell }[]): Kind | undefined {
  if (TIME.test(type)) return 'temporal';
  // Years are numbers, but their sum is meaningless.
  if (YEAR.test(name) || /^(VARCHAR|CHAR|TEXT|BOOL|ENUM|UUID)/i.test(type)) return 'nominal';
  const drawn = rows.every((row) => row[name] === null || typeof row[name] === 'number');
  return NUMBER.test(type) && drawn ? 'quantitative' : undefined;
}

/** Vega-Lite reads a field's dots and brackets as paths. */
function fieldOf(name: string): string {
  return name.replaceAll(/[\\.[\]]/g, (character) => `\\${character}`);
}
