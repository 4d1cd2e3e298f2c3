/** Calls a function of the schema, which always returns a row. */
import type { Statements, Value } from './database.ts';

/** `text` must name the result `answer`. */
export async function answerOf<Answer>(
  db: Pick<Statements, 'get'>,
  text: string,
  ...values: Value[]
): Promise<Answer> {
  const row = await db.get<{ answer: Answer }>(text, ...values);
  if (!row) throw new Error('PostgreSQL returned no answer');
  return row.answer;
}
