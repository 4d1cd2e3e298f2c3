/** The step that asks a person before a query runs. */
import { interrupt } from '@langchain/langgraph';
import { SkeinError } from '../../state/errors.ts';
import type { Step } from '../authoring/agent-graph.ts';
import { bare } from './query.ts';
import type { SqlWorkState } from './state.ts';

/** Answered by `{approved: boolean, sql?: string}`: a statement of the person's own runs in place of the one asked about. */
export const approve: Step<SqlWorkState> = async ({ query }) => {
  if (!query) return {};
  const { sql, explanation, tables } = query;
  const answer = answerOf(interrupt({ sql, explanation, tables }));
  const own = answer.sql === undefined ? undefined : bare(answer.sql);
  if (own && own !== sql) {
    const given = { sql: own, explanation: 'Written by the person who was asked.', tables: [] };
    return { query: given, checks: [], approval: 'given' };
  }
  return { approval: answer.approved ? 'given' : 'refused' };
};

/** A run that answers with anything else fails, and the question stands. */
function answerOf(value: unknown): { approved: boolean; sql?: string } {
  const { approved, sql } = (value ?? {}) as { approved?: unknown; sql?: unknown };
  if (typeof approved === 'boolean' && (sql === undefined || typeof sql === 'string')) {
    return sql === undefined ? { approved } : { approved, sql };
  }
  throw new SkeinError('INVALID_REQUEST', { detail: 'value: expected {approved: boolean, sql?: string}' });
}
