/** Feedback on SQLite. */
import type { Database, SQLQueryBindings } from 'bun:sqlite';
import { type BadAnswerRow, badAnswers, type Dialect, toBadAnswer } from '../driver/bad-answers.ts';
import { pageOf } from '../driver/page.ts';
import type { FeedbackStore } from '../state.ts';
import type { Feedback } from '../threads/feedback.ts';
import type { GroupCommit } from './file/group-commit.ts';

const fieldOf = (field: string) => `json_extract(f.body, '$.${field}')`;
const DIALECT: Dialect = {
  table: (name) => name,
  isFalse: (field) => `${fieldOf(field)} = 0`,
  isAtMost: (field, most) => `${fieldOf(field)} <= ${most}`,
  isNull: (field) => `(${fieldOf(field)} IS NULL)`,
};

export function feedbackStore(db: Database, commit: GroupCommit): FeedbackStore {
  const put = db.query('INSERT OR REPLACE INTO feedback (message_id, body) VALUES (?, ?)');
  const get = db.query<{ body: string }, [string]>('SELECT body FROM feedback WHERE message_id = ?');
  const replace = db.query('UPDATE feedback SET body = ? WHERE message_id = ? AND body = ?');
  return {
    put: (feedback) =>
      commit.write(feedback.message_id, () => void put.run(feedback.message_id, JSON.stringify(feedback))),
    async get(messageId) {
      commit.flush();
      const row = get.get(messageId);
      return row ? (JSON.parse(row.body) as Feedback) : undefined;
    },
    replace: (before, after) =>
      commit.write(before.message_id, () => {
        const texts = [JSON.stringify(after), before.message_id, JSON.stringify(before)];
        return replace.run(...texts).changes > 0;
      }),
    async bad({ owner, reviewed }, { limit, after }) {
      commit.flush();
      const sql = badAnswers(
        DIALECT,
        { reviewed },
        {
          owner: owner === null ? undefined : '?',
          after: after && '?',
          limit: '?',
        },
      );
      const values: SQLQueryBindings[] = [...(owner === null ? [] : [owner]), ...(after ?? []), limit + 1];
      const rows = db.query<BadAnswerRow, SQLQueryBindings[]>(sql).iterate(...values);
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
