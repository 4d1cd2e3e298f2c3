/** The query for answers that were rated bad. The dialects of the drivers differ in a few expressions. */
import type { BadAnswer, BadAnswerFilter } from '../state.ts';

export interface BadAnswerRow {
  message_id: string;
  body: string;
  owner: string;
  run_id: string;
  workflow: string;
  content: string;
  created_at: number;
  request: string | null;
}

export interface Dialect {
  /** The qualified name of a table. */
  table(name: string): string;
  /** `isFalse`, `isAtMost` and `isNull` return SQL conditions on a field of the feedback's JSON. */
  isFalse(field: string): string;
  isAtMost(field: string, most: number): string;
  isNull(field: string): string;
}

/** The SQL text. `names`: placeholders of the parameters; without `owner` or `after`, the query has no such condition. */
export function badAnswers(
  { table, isFalse, isAtMost, isNull }: Dialect,
  { reviewed }: Pick<BadAnswerFilter, 'reviewed'>,
  names: { owner: string | undefined; after: string | undefined; limit: string },
): string {
  const where = [
    // A thread that is being deleted has an empty owner.
    names.owner === undefined ? "t.owner <> ''" : `t.owner = ${names.owner}`,
    `(${isFalse('positive_feedback')} OR ${isAtMost('rating', 2)})`,
    `${reviewed ? 'NOT ' : ''}${isNull('review')}`,
    ...(names.after === undefined ? [] : [`f.message_id < ${names.after}`]),
  ];
  return `SELECT f.message_id, f.body, t.owner, m.run_id, m.workflow, m.content, m.created_at, r.request
    FROM ${table('feedback')} AS f JOIN ${table('messages')} AS m ON m.message_id = f.message_id
    JOIN ${table('threads')} AS t ON t.key = m.thread LEFT JOIN ${table('runs')} AS r ON r.run_id = m.run_id
    WHERE ${where.join(' AND ')} ORDER BY f.message_id DESC LIMIT ${names.limit}`;
}

export function toBadAnswer(row: BadAnswerRow): BadAnswer {
  return {
    feedback: JSON.parse(row.body),
    owner: row.owner,
    runId: row.run_id,
    workflow: row.workflow,
    answer: row.content,
    createdAt: row.created_at,
    request: row.request === null ? null : JSON.parse(row.request),
  };
}
