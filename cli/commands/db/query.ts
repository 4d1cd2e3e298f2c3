/** `skein db query`: runs one SELECT on the local database, with the SQL workflow's guard. */
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqlOptions } from '../../../graphs/sql-manipulation-agent/state.ts';
import type { Settings } from '../../../settings/schema.ts';
import { checkOptions } from '../../../state/schema/check-options.ts';
import { cutText } from '../../../tools/sql/cuts.ts';
import { openDuckDb } from '../../../tools/sql/duckdb/open.ts';
import { type QueryResult, type SqlCell, type SqlEngine, SqlError } from '../../../tools/sql/engine.ts';
import type { SqlLimits } from '../../../tools/sql/limits.ts';
import { failed, printable } from '../../terminal/plain-errors.ts';
import { print } from '../../terminal/print.ts';

export interface Query {
  sql: string;
  csv: boolean;
  /** The rows shown in the terminal, and the rows written as CSV. */
  rules: { shown: SqlLimits; written: SqlLimits };
}

/** The SQL workflow's default limits; a project's workflow may have other settings. */
export function queryRules({ workflows }: Settings): Query['rules'] {
  const given = (workflows['sql-manipulation-agent'] ?? {}) as Record<string, unknown>;
  const known = Object.entries(given).filter(([name]) => name in SqlOptions.properties);
  const options = checkOptions(SqlOptions, Object.fromEntries(known), 'workflows.sql-manipulation-agent');
  return {
    shown: { maxRows: options.max_rows, querySeconds: options.query_seconds },
    written: { maxRows: options.download_rows, querySeconds: options.download_seconds },
  };
}

/** Returns the exit code. Reports truncation on standard error, so that standard output is valid CSV. */
export async function queryDatabase(path: string, { sql, csv, rules }: Query): Promise<number> {
  const engine = openDuckDb({ path, processes: 1, ...(csv ? rules.written : rules.shown) });
  try {
    return csv ? await write(engine, sql) : show(await engine.query(sql));
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    return failed(error.message);
  } finally {
    await engine.close();
  }
}

async function write(engine: SqlEngine, sql: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-rows-'));
  try {
    const file = join(folder, 'rows.csv');
    const { cuts } = await engine.save(sql, { file, format: 'csv' });
    for await (const piece of createReadStream(file)) await written(piece);
    if (cuts.length > 0) console.error(cutText(cuts).replace('max_rows', 'download_rows'));
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits for a slow reader, and fails when the reader has closed the pipe. */
function written(piece: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) =>
    process.stdout.write(piece, (error) => (error ? reject(error) : resolve())),
  );
}

const LONGEST_CELL = 60;

function show({ columns, rows, rowCount, truncated, cuts = [] }: QueryResult): number {
  const names = columns.map(({ name }) => name);
  const lines = [names, ...rows.map((row) => names.map((name) => textOf(row[name])))].map((line) =>
    line.map((text) => shortened(printable(text))),
  );
  const widths = names.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  for (const line of lines)
    print(
      line
        .map((text, index) => text.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  const count = `${rowCount} ${rowCount === 1 ? 'row' : 'rows'}`;
  print(`(${truncated ? `the first ${count}, there are more` : count})`);
  if (cuts.length > 0) console.error(cutText(cuts));
  return 0;
}

function textOf(cell: SqlCell | undefined): string {
  if (cell === null || cell === undefined) return 'NULL';
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
}

function shortened(text: string): string {
  return text.length <= LONGEST_CELL ? text : `${text.slice(0, LONGEST_CELL - 1)}…`;
}
