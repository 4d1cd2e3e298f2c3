/** Lets one SELECT over allowed tables and functions through, and says of everything else which rule it breaks. */
import type { DuckDBConnection, DuckDBExtractedStatements, DuckDBPreparedStatement } from '@duckdb/node-api';
import { StatementType } from '@duckdb/node-api';
import { refusedCombinations } from './combinations.ts';
import { MAX_SQL } from './messages.ts';
import type { Refusal } from './refusal.ts';
import { type Catalog, walkTree } from './tree.ts';

export interface Allowed {
  ok: true;
  tables: string[];
  checks: string[];
  /** The statement that was checked, and no other. */
  statement: DuckDBPreparedStatement;
}

export type Verdict = Allowed | ({ ok: false } & Refusal);

const CHECKS = ['one_statement', 'select_only', 'tables_allowed', 'functions_allowed'];

/** Looks at the syntax first: binding a statement evaluates its constant parts, so only an allowed one is bound. */
export async function checkSql(
  connection: DuckDBConnection,
  sql: string,
  catalog: Catalog,
): Promise<Verdict> {
  if (sql.length > MAX_SQL) return refuse('too_long', `The statement is longer than ${MAX_SQL} characters`);
  // For DuckDB's interface a text ends at it: what is run would be another one than what was checked.
  if (sql.includes('\0')) return refuse('syntax_error', 'Syntax error: the statement has a NUL character');
  const parsed = await parse(connection, sql);
  if ('rule' in parsed) return { ok: false, ...parsed };
  const walked = walkTree(parsed.tree, catalog);
  if ('rule' in walked) return { ok: false, ...walked };
  const statement = await bind(parsed.statements);
  if (typeof statement === 'string') return refuse('invalid_sql', statement);
  if (statement.statementType !== StatementType.SELECT) return refuse('select_only', SELECT_ONLY);
  const combined = await refusedCombinations(connection, sql, parsed.tree);
  if (combined) return { ok: false, ...combined };
  return { ok: true, tables: walked.tables, checks: CHECKS, statement };
}

const SELECT_ONLY = 'Only one SELECT is allowed; PIVOT needs its values listed: PIVOT (… FOR column IN (…))';

interface Serialized {
  error: boolean;
  error_type?: string;
  error_message?: string;
  statements?: unknown[];
}

interface Parsed {
  tree: unknown;
  statements: DuckDBExtractedStatements;
}

async function parse(connection: DuckDBConnection, sql: string): Promise<Parsed | Refusal> {
  const serialized = await serialize(connection, sql);
  if (!serialized) return { rule: 'unknown_syntax', reason: 'A number in the statement is too large' };
  if (serialized.error && serialized.error_type === 'parser')
    return { rule: 'syntax_error', reason: `Syntax error: ${serialized.error_message}` };
  if (serialized.statements?.length === 0)
    return { rule: 'no_statement', reason: 'There is no statement: write one SELECT' };
  // Before DuckDB takes the statements apart: for IMPORT DATABASE that would read files.
  if (serialized.error) return { rule: 'select_only', reason: SELECT_ONLY };
  const statements = await connection.extractStatements(sql);
  if (serialized.statements?.length !== 1 || statements.count !== 1)
    return { rule: 'one_statement', reason: 'Only one statement is allowed: write one SELECT' };
  return { tree: serialized.statements[0], statements };
}

/** DuckDB's own, whatever the file calls so. Undefined where it is not JSON: an infinite number is written as one. */
async function serialize(connection: DuckDBConnection, sql: string): Promise<Serialized | undefined> {
  const reader = await connection.runAndReadAll('SELECT system.main.json_serialize_sql($1::VARCHAR)', [sql]);
  try {
    return JSON.parse(String(reader.getRows()[0]?.[0])) as Serialized;
  } catch {
    return undefined;
  }
}

/** The database's own words where it refuses. */
async function bind(statements: DuckDBExtractedStatements): Promise<DuckDBPreparedStatement | string> {
  try {
    return await statements.prepare(0);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function refuse(rule: Refusal['rule'], reason: string): Verdict {
  return { ok: false, rule, reason };
}
