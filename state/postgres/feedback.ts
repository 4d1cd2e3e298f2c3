/** Feedback on PostgreSQL. */
import { type BadAnswerRow, badAnswers, type Dialect, toBadAnswer } from '../driver/bad-answers.ts';
import { pageOf } from '../driver/page.ts';
import type { FeedbackStore } from '../state.ts';
import type { Feedback } from '../threads/feedback.ts';
import type { Database } from './database/database.ts';
import { parameters } from './database/parameters.ts';

/**
 * The text of a boolean or number in the JSON of feedback; null if it is null or missing. Doesn't parse the JSON, which PostgreSQL
 * can't do if a comment contains NUL. Quotes inside of a string are escaped, so only the field itself matches.
 */
export const feedbackField = (body: string, field: string) =>
  `substring(${body} FROM '"${field}":(true|false|[0-9]+)')`;

/** The partial index `feedback_bad` has the same expressions. */
export const DIALECT: Dialect = {
  table: (name) => `skein.${name}`,
  isFalse: (field) => `${feedbackField('f.body', field)} = 'false'`,
  isAtMost: (field, most) => `${feedbackField('f.body', field)}::int <= ${most}`,
  isNull: (field) => `(f.body !~ '"${field}":[^n]')`,
};

export function feedbackStore(database: Database): FeedbackStore {
  return {
    async put(feedback) {
      await database.run(
        `INSERT INTO skein.feedback (message_id, body) VALUES ($1, $2)
         ON CONFLICT (message_id) DO UPDATE SET body = excluded.body`,
        feedback.message_id,
        JSON.stringify(feedback),
      );
    },
    async get(messageId) {
      const row = await database.get<{ body: string }>(
        'SELECT body FROM skein.feedback WHERE message_id = $1',
        messageId,
      );
      return row && (JSON.parse(row.body) as Feedback);
    },
    async replace(before, after) {
      const changed = await database.run(
        'UPDATE skein.feedback SET body = $1 WHERE message_id = $2 AND body = $3',
        JSON.stringify(after),
        before.message_id,
        JSON.stringify(before),
      );
      return changed > 0;
    },
    async bad({ owner, reviewed }, { limit, after }) {
      const { values, add } = parameters();
      const text = badAnswers(
        DIALECT,
        { reviewed },
        {
          owner: owner === null ? undefined : add(owner),
          after: after && add(after[0]),
          limit: add(limit + 1),
        },
      );
      const rows = await database.all<BadAnswerRow>(text, ...values);
      return pageOf(
        rows,
        limit,
        ({ message_id }) => [message_id],
        toBadAnswer,
        ({ content, request }) => content.length + (request?.length ?? 0),
      );
    },
  };
}
