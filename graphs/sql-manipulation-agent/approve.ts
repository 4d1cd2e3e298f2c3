/** The step that asks a person before a query runs. */
import { interrupt } from '@langchain/langgraph';
import { SkeinError } from '../../state/errors.ts';
import type { Step } from '../authoring/agent/agent-graph.ts';
import { bare } from './query.ts';
import type { SqlWorkState } from './state.ts';

export const APPROVAL_SHAPE = '{approved: boolean, sql?: string}';

/** The expected answer is `{approved: boolean, sql?: string}`: the person's own statement replaces the proposed one. */
export const approve: Step<SqlWorkState> = async ({ query }) => {
  if (!query) return {};
  const { sql, explanation, tables } = query;
  const answer = approvalIn(interrupt({ sql, explanation, tables }), sql);
  // Any other answer fails the run, and the question stays open.
  if (!answer) throw new SkeinError('INVALID_REQUEST', { detail: `value: expected ${APPROVAL_SHAPE}` });
  if (answer.own) {
    const given = { sql: answer.own, explanation: 'Written by the person who was asked.', tables: [] };
    return { query: given, checks: [], approval: 'given' };
  }
  return { approval: answer.approved ? 'given' : 'refused' };
};

export interface Approval {
  approved: boolean;
  /** The person's replacement for the statement. It runs regardless of `approved`. */
  own: string | undefined;
}

/** A person's answer to whether `proposed` may run; undefined if it is invalid. */
export function approvalIn(value: unknown, proposed: string): Approval | undefined {
  const { approved, sql } = (value ?? {}) as { approved?: unknown; sql?: unknown };
  if (typeof approved !== 'boolean' || (sql !== undefined && typeof sql !== 'string')) return undefined;
  const own = sql === undefined ? '' : bare(sql);
  return { approved, own: own === '' || own === proposed ? undefined : own };
}
