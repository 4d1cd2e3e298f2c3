/** Filter conditions on runs that no index supports. */
import type { SQLQueryBindings } from 'bun:sqlite';
import type { RunFilter } from '../../threads/archive.ts';

export interface Condition {
  sql: string;
  values: SQLQueryBindings[];
}

export const textOf = (conditions: Condition[]) => conditions.map(({ sql }) => sql).join(' AND ');
export const valuesOf = (conditions: Condition[]) => conditions.flatMap(({ values }) => values);

// The tolerance for rounding errors in sums of costs.
const COST_TOLERANCE = 1e-9;

/** The conditions on `r`, a row of `runs`. */
export function runConditions(filter: RunFilter): Condition[] {
  const { from, until, minDurationMs, minTokens, minCost, errorCode, prompt, feedback } = filter;
  const conditions: Condition[] = [];
  const add = (sql: string, ...values: SQLQueryBindings[]) => conditions.push({ sql, values });
  if (from !== undefined) add('r.created_at >= ?', from);
  if (until !== undefined) add('r.created_at < ?', until);
  if (minDurationMs !== undefined) add('r.finished_at - r.started_at >= ?', minDurationMs);
  if (minTokens !== undefined) add('r.input_tokens + r.output_tokens >= ?', minTokens);
  if (minCost !== undefined)
    add("(SELECT sum(value ->> '$[3]') FROM json_each(r.models)) >= ?", minCost - COST_TOLERANCE);
  if (errorCode !== undefined) add("r.error ->> 'error_code' = ?", errorCode);
  if (prompt) conditions.push(renderedBy(prompt));
  if (feedback)
    add(
      `EXISTS (SELECT 1 FROM feedback AS f
       WHERE f.message_id = r.message_id AND f.body ->> 'positive_feedback' = ?)`,
      feedback === 'positive' ? 1 : 0,
    );
  return conditions;
}

/** Searches the text for the file name first, so that few rows are parsed. */
function renderedBy({ filename, revision, version }: NonNullable<RunFilter['prompt']>): Condition {
  const named: [string, SQLQueryBindings | undefined][] = [
    ['filename', filename],
    ['revision_id', revision],
    ['version', version],
  ];
  const given = named.filter((one): one is [string, SQLQueryBindings] => one[1] !== undefined);
  const condition = given.map(([field]) => `p.value ->> '${field}' = ?`).join(' AND ');
  return {
    sql: `instr(r.agents, ?) > 0 AND EXISTS (
      SELECT 1 FROM json_each(r.agents) AS a, json_each(a.value, '$.prompts') AS p WHERE ${condition})`,
    values: [JSON.stringify(filename), ...given.map(([, value]) => value)],
  };
}
