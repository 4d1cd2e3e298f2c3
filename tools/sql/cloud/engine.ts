/** The SQL engine over a database server: checks and runs statements, and formats their results. */
import { writeFile } from 'node:fs/promises';
import { SkeinError } from '../../../state/errors.ts';
import {
  type Column,
  type Cut,
  type QueryResult,
  type Saved,
  type SqlCell,
  type SqlEngine,
  SqlError,
} from '../engine.ts';
import { MAX_SQL, type SqlLimits } from '../limits.ts';
import { csvLine } from '../write-csv.ts';
import { openConnections } from './connections.ts';
import { type Allowed, checkSql } from './guard/guard.ts';
import { mssql } from './mssql.ts';
import { mysql } from './mysql.ts';
import { postgres } from './postgres.ts';
import { openSchema } from './schema.ts';
import { type Answer, type CloudDriver, cellSize, type Selection } from './session.ts';
import type { Target } from './target.ts';

const DRIVERS: Record<'postgres' | 'mysql' | 'mssql', CloudDriver> = { postgres, mysql, mssql };

const MAX_CELL = 4_000;
// Limited, because all rows are in memory at the same time.
const MAX_SAVED = 10_000;
// The maximum size of a result, in characters.
const MAX_RESULT = 1_000_000;

/** Connects at first use. */
export function cloudEngine(target: Target, { maxRows, querySeconds }: SqlLimits): SqlEngine {
  const driver = DRIVERS[target.dialect];
  const connections = openConnections(driver, target);
  const schema = openSchema(connections, driver.syntax);

  async function allowed(sql: string, signal: AbortSignal | undefined): Promise<Allowed | SqlError> {
    const { catalog } = await schema.read(signal);
    const verdict = checkSql(sql.slice(0, MAX_SQL + 1), catalog, driver.syntax);
    return verdict.ok
      ? verdict
      : new SqlError({ kind: 'refused', rule: verdict.rule, reason: verdict.reason });
  }

  function selectionOf({ text, limit }: Allowed, most = maxRows): Selection {
    return { text, limit: { ...limit, count: Math.min(limit.count, most + 1) }, size: MAX_CELL };
  }

  return {
    dialect: target.dialect,
    async tables(signal) {
      const { tables } = await schema.read(signal);
      if (tables.length === 0) throw new SkeinError('NO_TABLES_FOUND');
      return tables;
    },
    async check(sql, signal) {
      const verdict = await allowed(sql, signal);
      if (verdict instanceof SqlError) return refusal(verdict);
      try {
        const selection = selectionOf(verdict);
        await connections.use((session) => session.describe(selection), { seconds: querySeconds, signal });
      } catch (error) {
        if (error instanceof SqlError) return refusal(error);
        throw error;
      }
      return { ok: true, tables: verdict.tables, checks: verdict.checks };
    },
    async query(sql, signal) {
      const verdict = await allowed(sql, signal);
      if (verdict instanceof SqlError) throw verdict;
      const start = performance.now();
      const selection = selectionOf(verdict);
      const answer = await connections.use((session) => session.select(selection), {
        seconds: querySeconds,
        signal,
      });
      const size = cellSize(selection, answer.columns.length);
      return { ...resultOf(answer, { maxRows, size }), durationMs: performance.now() - start };
    },
    async save(sql, { file, format }, signal) {
      if (format !== 'csv')
        throw new SqlError({ kind: 'failed', reason: 'Rows of a database server can only be saved as CSV' });
      const verdict = await allowed(sql, signal);
      if (verdict instanceof SqlError) throw verdict;
      const most = Math.min(maxRows, MAX_SAVED);
      const selection = selectionOf(verdict, most);
      const answer = await connections.use((session) => session.select(selection), {
        seconds: querySeconds,
        signal,
      });
      return saveAnswer(answer, { file, maxRows: most, size: cellSize(selection, answer.columns.length) });
    },
    async close() {
      connections.close();
    },
  };
}

function refusal({ rule = 'invalid_sql', reason }: SqlError) {
  return { ok: false as const, rule, reason };
}

function resultOf(
  answer: Answer,
  { maxRows, size: cellLength }: { maxRows: number; size: number },
): Omit<QueryResult, 'durationMs'> {
  const columns = uniqueColumns(answer.columns);
  const rows: QueryResult['rows'] = [];
  let size = 0;
  let cut: Cut | undefined;
  let hasCutCell = false;
  for (const cells of answer.rows) {
    const row = Object.fromEntries(columns.map(({ name }, index) => [name, cells[index] ?? null]));
    size += JSON.stringify(row).length;
    if (rows.length === maxRows) cut = { limit: 'rows', at: maxRows };
    else if (size > MAX_RESULT) cut = { limit: 'bytes', at: MAX_RESULT };
    if (cut) break;
    rows.push(row);
    hasCutCell ||= cells.some((cell) => isCut(cell, cellLength));
  }
  const cuts = [cut, hasCutCell ? ({ limit: 'cells', at: cellLength } as const) : undefined];
  return {
    ...{ columns, rows, rowCount: rows.length, truncated: cut !== undefined },
    cuts: cuts.filter((each) => each !== undefined),
  };
}

interface AnswerFile {
  file: string;
  maxRows: number;
  size: number;
}

async function saveAnswer(answer: Answer, { file, maxRows, size }: AnswerFile): Promise<Saved> {
  const rows = answer.rows.slice(0, maxRows);
  const lines = [uniqueColumns(answer.columns).map(({ name }) => name), ...rows].map(csvLine);
  await writeFile(file, lines, { flag: 'wx', mode: 0o600 });
  const hasCutCell = rows.some((cells) => cells.some((cell) => isCut(cell, size)));
  return {
    rows: rows.length,
    cuts: [
      ...(answer.rows.length > maxRows ? [{ limit: 'rows' as const, at: maxRows }] : []),
      ...(hasCutCell ? [{ limit: 'cells' as const, at: size }] : []),
    ],
  };
}

function isCut(cell: SqlCell, size: number): boolean {
  return typeof cell === 'string' && cell.length > size && cell.endsWith('…');
}

/** Repeated column names get a suffix. */
function uniqueColumns(columns: readonly Column[]): Column[] {
  const taken = new Set(columns.map(({ name }) => name));
  const seen = new Set<string>();
  return columns.map(({ name: given, type }) => {
    let name = given;
    for (let suffix = 2; seen.has(name) || (name !== given && taken.has(name)); suffix++)
      name = `${given}_${suffix}`;
    seen.add(name);
    return { name, type };
  });
}
