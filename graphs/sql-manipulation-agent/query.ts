/** The steps that write, check and run a query. One that is refused or fails is written anew with the reason. */
import { type SqlEngine, SqlError } from '../tools/sql/engine.ts';
import { schemaText } from '../tools/sql/schema-text.ts';
import { SkeinError, type Step, Type } from '../workflow.ts';
import type { Query, Refusal, SqlWorkState } from './state.ts';

type SqlStep = Step<SqlWorkState>;

const MOST_REPAIRS = 2;

export function readSchema(sql: SqlEngine): SqlStep {
  return async (_state, { status, signal }) => {
    status('reading the tables');
    return { schema: schemaText(await sql.tables(signal)) };
  };
}

/** What the model gives for a question. */
export const WrittenQuery = Type.Object(
  {
    sql: Type.String({ description: 'One SELECT statement, or empty where the schema cannot answer' }),
    explanation: Type.String({ description: 'One sentence: what the statement does, or why there is none' }),
    tables: Type.Array(Type.String(), { description: 'The tables that it reads' }),
  },
  { additionalProperties: false },
);

export function writeQuery({ dialect }: SqlEngine): SqlStep {
  return async ({ schema, refusal }, { extract, prompt, status }) => {
    status(refusal ? 'repairing the query' : 'writing a query');
    const system = await prompt({ schema, dialect, refusal: refusal && shown(refusal) });
    const written = await extract({ name: 'sql', schema: WrittenQuery }, system);
    const query: Query = { ...written, sql: bare(written.sql), explanation: written.explanation.trim() };
    return { query, checks: [], refusal: null, approval: 'none' };
  };
}

export function checkQuery(sql: SqlEngine): SqlStep {
  return async (state, { signal }) => {
    const { query } = state;
    if (!query) return {};
    const checked = await sql.check(query.sql, signal);
    if (!checked.ok) return repaired(state, { sql: query.sql, reason: `${checked.rule}: ${checked.reason}` });
    const { tables, checks } = checked;
    return { query: { ...query, tables }, checks };
  };
}

export function runQuery(sql: SqlEngine): SqlStep {
  return async (state, { status, signal }) => {
    const { query } = state;
    if (!query) return {};
    status('running SQL');
    try {
      return { rows: await sql.query(query.sql, signal) };
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      return repaired(state, { sql: query.sql, reason: error.reason });
    }
  };
}

// A statement may be as long as an answer; a prompt has an end.
const SHOWN_CHARACTERS = 4_000;

function shown({ sql, reason }: Refusal): string {
  return JSON.stringify({ sql: sql.slice(0, SHOWN_CHARACTERS), reason });
}

/** The reason goes to who writes the next statement; after the last repair it goes to the caller. */
function repaired({ repairs }: SqlWorkState, refusal: Refusal): Partial<SqlWorkState> {
  if (repairs < MOST_REPAIRS) return { refusal, repairs: repairs + 1 };
  throw new SkeinError('SQL_EXECUTION_FAILED', { detail: refusal.reason });
}

/** Without the fence and the semicolon that models like to put around a statement. */
function bare(sql: string): string {
  const [, fenced = sql] = /^\s*```(?:sql)?\s*\n([\s\S]*?)\n?```\s*$/i.exec(sql) ?? [];
  return fenced.trim().replace(/[;\s]+$/, '');
}
