/** The steps that write, check and run a query. A rejected or failed query is rewritten with the reason. */

import { Type } from '@sinclair/typebox';
import { SkeinError } from '../../state/errors.ts';
import { type Checked, type SqlEngine, SqlError } from '../../tools/sql/engine.ts';
import { refusalText } from '../../tools/sql/refusal-text.ts';
import { schemaText } from '../../tools/sql/schema-text.ts';
import type { AgentTools } from '../authoring/agent/agent.ts';
import type { Step } from '../authoring/agent/agent-graph.ts';
import type { Query, Refusal, SqlWorkState } from './state.ts';

type SqlStep = Step<SqlWorkState>;

const MAX_REPAIRS = 2;
// One more than an engine accepts, so that the engine reports it.
const MAX_CHARACTERS = 20_001;

/** The database of an agent's run. */
export type SqlOf = (tools: AgentTools) => SqlEngine;

export function readSchema(sqlOf: SqlOf): SqlStep {
  return async (_state, tools) => {
    tools.status('reading the tables');
    return { schema: schemaText(await sqlOf(tools).tables(tools.signal)) };
  };
}

/** The model's output. */
export const WrittenQuery = Type.Object(
  {
    sql: Type.String({ description: 'One SELECT statement, or empty where the schema cannot answer' }),
    explanation: Type.String({ description: 'One sentence: what the statement does, or why there is none' }),
    tables: Type.Array(Type.String(), { description: 'The tables that it reads' }),
  },
  { additionalProperties: false },
);

export function writeQuery(sqlOf: SqlOf): SqlStep {
  return async ({ schema, refusal }, tools) => {
    const { extract, prompt, status } = tools;
    const { dialect } = sqlOf(tools);
    status(refusal ? 'repairing the query' : 'writing a query');
    const system = await prompt({ schema, dialect, refusal: refusal && refusalText(refusal) });
    const written = await extract({ name: 'sql', schema: WrittenQuery }, system);
    const query: Query = { ...written, sql: bare(written.sql), explanation: written.explanation.trim() };
    return { query, checks: [], refusal: null, approval: 'none' };
  };
}

export function checkQuery(sqlOf: SqlOf): SqlStep {
  return async (state, tools) => {
    const { query } = state;
    if (!query) return {};
    const checked = await sqlOf(tools).check(query.sql, tools.signal).catch(refusedBy);
    if (!checked.ok) return repaired(state, { sql: query.sql, reason: `${checked.rule}: ${checked.reason}` });
    const { tables, checks } = checked;
    return { query: { ...query, tables }, checks };
  };
}

export function runQuery(sqlOf: SqlOf): SqlStep {
  return async (state, tools) => {
    const { query } = state;
    if (!query) return {};
    tools.status('running SQL');
    try {
      return { rows: await sqlOf(tools).query(query.sql, tools.signal) };
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      return repaired(state, { sql: query.sql, reason: error.reason });
    }
  };
}

/** Even the check may be too expensive, because databases evaluate constants in it. */
function refusedBy(error: unknown): Extract<Checked, { ok: false }> {
  if (!(error instanceof SqlError)) throw error;
  return { ok: false, rule: error.rule ?? error.kind, reason: error.reason };
}

/** Passes the reason to the next attempt. After the last repair, throws it to the caller. */
function repaired({ repairs }: SqlWorkState, refusal: Refusal): Partial<SqlWorkState> {
  if (repairs < MAX_REPAIRS) return { refusal, repairs: repairs + 1 };
  throw new SkeinError('SQL_EXECUTION_FAILED', { detail: refusal.reason });
}

/** Removes the fence and the semicolon that people and models put around a statement, and truncates it. */
export function bare(sql: string): string {
  const [, fenced = sql] = /^\s*```(?:sql)?\s*\n([\s\S]*?)\n?```\s*$/i.exec(sql) ?? [];
  return fenced
    .trim()
    .replace(/[;\s]+$/, '')
    .slice(0, MAX_CHARACTERS);
}
