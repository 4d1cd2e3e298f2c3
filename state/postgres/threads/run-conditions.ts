/** Filter conditions on runs that no index supports. */
import type { RunFilter } from '../../threads/archive.ts';
import type { Parameters } from '../database/parameters.ts';
import { feedbackField } from '../feedback.ts';

// The tolerance for rounding errors in sums of costs.
const COST_TOLERANCE = 1e-9;

/** The conditions on `r`, a row of `skein.runs`. */
export function runConditions(filter: RunFilter, { add }: Parameters): string[] {
  const { from, until, minDurationMs, minTokens, minCost, errorCode, prompt, feedback } = filter;
  const conditions: string[] = [];
  if (from !== undefined) conditions.push(`r.created_at >= ${add(from)}`);
  if (until !== undefined) conditions.push(`r.created_at < ${add(until)}`);
  if (minDurationMs !== undefined) conditions.push(`r.finished_at - r.started_at >= ${add(minDurationMs)}`);
  if (minTokens !== undefined) conditions.push(`r.input_tokens + r.output_tokens >= ${add(minTokens)}`);
  if (minCost !== undefined)
    conditions.push(`(SELECT sum((model ->> 3)::float8) FROM json_array_elements(r.models::json) AS model)
      >= ${add(String(minCost - COST_TOLERANCE))}::text::float8`);
  if (errorCode !== undefined) conditions.push(`r.error::json ->> 'error_code' = ${add(errorCode)}`);
  if (prompt) conditions.push(renderedBy(prompt, add));
  if (feedback)
    // Not EXISTS, for which the planner would read all feedback.
    conditions.push(`(SELECT ${feedbackField('f.body', 'positive_feedback')} FROM skein.feedback AS f
      WHERE f.message_id = r.message_id) = ${add(String(feedback === 'positive'))}`);
  return conditions;
}

/** Searches the text for the file name first, so that few rows are parsed. */
function renderedBy(
  { filename, revision, version }: NonNullable<RunFilter['prompt']>,
  add: Parameters['add'],
): string {
  const conditions = [`p ->> 'filename' = ${add(filename)}`];
  if (revision !== undefined) conditions.push(`p ->> 'revision_id' = ${add(revision)}`);
  if (version !== undefined) conditions.push(`p ->> 'version' = ${add(String(version))}`);
  return `strpos(r.agents, ${add(JSON.stringify(filename))}) > 0 AND EXISTS (
    SELECT FROM json_array_elements(r.agents::json) AS a, json_array_elements(a -> 'prompts') AS p
    WHERE ${conditions.join(' AND ')})`;
}
