/** Reads the rows of a statement, up to the limits of an answer. */
import type { DuckDBPreparedStatement, DuckDBResult, DuckDBType } from '@duckdb/node-api';
import type { Column, Cut, QueryResult, SqlCell } from '../../engine.ts';
import { cell, MAX_CELL } from './cells.ts';

const MAX_RESULT = 1_000_000;

/** `durationMs` includes the query and the conversion. */
export async function readRows(statement: DuckDBPreparedStatement, maxRows: number): Promise<QueryResult> {
  const start = performance.now();
  const result = await statement.stream();
  const columns = columnsOf(result);
  const rows: QueryResult['rows'] = [];
  const cells = { cut: false };
  let size = 0;
  let cut: Cut | undefined;
  for await (const row of rowsOf(result, columns, cells)) {
    size += JSON.stringify(row).length;
    if (rows.length === maxRows) cut = { limit: 'rows', at: maxRows };
    else if (size > MAX_RESULT) cut = { limit: 'bytes', at: MAX_RESULT };
    if (cut) break;
    rows.push(row);
  }
  const cuts = [cut, cells.cut ? ({ limit: 'cells', at: MAX_CELL } as const) : undefined];
  return {
    ...{ columns, rows, rowCount: rows.length, truncated: cut !== undefined },
    cuts: cuts.filter((each) => each !== undefined),
    durationMs: performance.now() - start,
  };
}

// Limited, because the type of an ENUM lists all its values.
const MAX_TYPE = 200;

/** Repeated column names get a suffix. */
export function columnsOf(result: DuckDBResult): Column[] {
  const taken = new Set(result.columnNames());
  const seen = new Set<string>();
  return result.columnNames().map((given, index) => {
    let name = given;
    for (let suffix = 2; seen.has(name) || (name !== given && taken.has(name)); suffix++)
      name = `${given}_${suffix}`;
    seen.add(name);
    return { name, type: typeText(result.columnType(index)) };
  });
}

export function typeText(type: DuckDBType): string {
  const text = type.toString();
  return text.length <= MAX_TYPE ? text : `${text.slice(0, MAX_TYPE)}…`;
}

async function* rowsOf(
  result: DuckDBResult,
  columns: Column[],
  noted: { cut: boolean },
): AsyncGenerator<Record<string, SqlCell>> {
  const types = columns.map((_, index) => result.columnType(index));
  for await (const chunk of result) {
    const vectors = types.map((type, index) => [chunk.getColumnVector(index), type] as const);
    for (let row = 0; row < chunk.rowCount; row++) {
      const cells = vectors.map(([vector, type]) => cell(vector.getItem(row), type, { noted }));
      yield Object.fromEntries(columns.map(({ name }, index) => [name, cells[index] ?? null]));
    }
  }
}
