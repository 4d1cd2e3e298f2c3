/** Allows a single SELECT with allowed tables and functions, and otherwise reports the violated rule. */
import type { DuckDBConnection, DuckDBExtractedStatements, DuckDBPreparedStatement } from '@duckdb/node-api';
import { StatementType } from '@duckdb/node-api';
import { MAX_SQL } from '../../limits.ts';
import type { Refusal } from '../../refusal.ts';
import type { Catalog } from '../catalog.ts';
import { refusedCombinations } from './combinations.ts';
import { COLUMNS_VIEW, makeColumnsTable, withColumnsTable } from './information-schema.ts';
import { listValues } from './pivot.ts';
import { markPivots } from './pivot-text.ts';
import { deserialize, hasLargeNumbers, serialize } from './serialized.ts';
import { walkTree } from './tree.ts';

interface Allowed {
  ok: true;
  tables: string[];
  checks: string[];
  /** The statement to run: the checked one, or one that was rewritten from its syntax tree and checked again. */
  statement: DuckDBPreparedStatement;
}

export type Verdict = Allowed | ({ ok: false } & Refusal);

const CHECKS = ['one_statement', 'select_only', 'tables_allowed', 'functions_allowed'];

/** Checks the syntax first, and only binds allowed statements, because binding evaluates constants. */
export async function checkSql(
  connection: DuckDBConnection,
  sql: string,
  catalog: Catalog,
): Promise<Verdict> {
  const checked = await checkText(connection, sql, catalog);
  return 'rule' in checked ? { ok: false, ...checked } : { ok: true, checks: CHECKS, ...checked };
}

type Checked = Pick<Allowed, 'tables' | 'statement'> | Refusal;

async function checkText(connection: DuckDBConnection, sql: string, catalog: Catalog): Promise<Checked> {
  if (sql.length > MAX_SQL) return tooLong();
  // DuckDB's API ends strings at NUL, so the executed text would differ from the checked text.
  if (sql.includes('\0'))
    return { rule: 'syntax_error', reason: 'Syntax error: the statement has a NUL character' };
  const parsed = await parse(connection, sql);
  if ('rule' in parsed) return parsed.rule === 'select_only' ? checkPivot(connection, sql, catalog) : parsed;
  const walked = walkTree(parsed.tree, catalog);
  if ('rule' in walked) return walked;
  if (walked.tables.includes(COLUMNS_VIEW) && catalog.columnsTable === undefined)
    return checkWithColumns(connection, parsed.tree, catalog);
  const statement = await bind(parsed.statements);
  if (typeof statement === 'string') return { rule: 'invalid_sql', reason: statement };
  if (statement.statementType !== StatementType.SELECT) return selectOnly();
  const combined = await refusedCombinations(connection, sql, parsed.tree);
  return combined ?? { tables: walked.tables, statement };
}

/**
 * For DuckDB, a PIVOT without a list of values is several statements, the first of which creates a type. Rewrites it with the
 * list.
 */
async function checkPivot(connection: DuckDBConnection, sql: string, catalog: Catalog): Promise<Checked> {
  const marked = markPivots(sql);
  const parsed = marked === undefined ? selectOnly() : await parse(connection, marked);
  if ('rule' in parsed) return parsed.rule === 'one_statement' ? parsed : selectOnly();
  const walked = walkTree(parsed.tree, catalog);
  if ('rule' in walked) return walked;
  if (hasLargeNumbers(parsed.tree)) return tooLarge();
  const check = (text: string) => checkText(connection, text, catalog);
  const refusal = await listValues(parsed.tree, { connection, check, common: [] });
  return refusal ?? checkAgain(connection, parsed.tree, catalog);
}

async function checkWithColumns(
  connection: DuckDBConnection,
  tree: unknown,
  catalog: Catalog,
): Promise<Checked> {
  if (hasLargeNumbers(tree)) return tooLarge();
  const replaced = withColumnsTable(tree, catalog);
  return checkAgain(connection, replaced, await makeColumnsTable(connection, catalog));
}

/** Checks a rewritten statement from the beginning. It is not rewritten in the same way again. */
async function checkAgain(connection: DuckDBConnection, tree: unknown, catalog: Catalog): Promise<Checked> {
  const text = await deserialize(connection, tree);
  const parsed = await parse(connection, text);
  return 'rule' in parsed ? parsed : checkText(connection, text, catalog);
}

interface Parsed {
  tree: unknown;
  statements: DuckDBExtractedStatements;
}

async function parse(connection: DuckDBConnection, sql: string): Promise<Parsed | Refusal> {
  const serialized = await serialize(connection, sql);
  if (!serialized) return tooLarge();
  if (serialized.error && serialized.error_type === 'parser')
    return { rule: 'syntax_error', reason: `Syntax error: ${serialized.error_message}` };
  if (serialized.statements?.length === 0)
    return { rule: 'no_statement', reason: 'The statement is empty: write one SELECT' };
  // Must come before DuckDB splits the statements, which would read files for IMPORT DATABASE.
  if (serialized.error) return selectOnly();
  const statements = await connection.extractStatements(sql);
  if (serialized.statements?.length !== 1 || statements.count !== 1)
    return { rule: 'one_statement', reason: 'Only one statement is allowed: write one SELECT' };
  return { tree: serialized.statements[0], statements };
}

/** Returns the database's message if it rejects the statement. */
async function bind(statements: DuckDBExtractedStatements): Promise<DuckDBPreparedStatement | string> {
  try {
    return await statements.prepare(0);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function selectOnly(): Refusal {
  return { rule: 'select_only', reason: 'Only one SELECT is allowed' };
}

function tooLarge(): Refusal {
  return { rule: 'unknown_syntax', reason: 'A number in the statement is too large' };
}

function tooLong(): Refusal {
  return { rule: 'too_long', reason: `The statement is longer than ${MAX_SQL} characters` };
}
