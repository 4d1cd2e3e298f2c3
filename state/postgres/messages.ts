/** Messages by their id, and feedback on them, on PostgreSQL. */
import { type MessageRow, toMessage } from '../driver/rows.ts';
import type { Feedback, FeedbackStore, Messages } from '../state.ts';
import type { Database } from './database/database.ts';

export function messages(database: Database): Messages {
  return {
    async find(owner, messageId) {
      const row = await database.get<MessageRow>(
        `SELECT m.*, t.thread_id FROM skein.messages AS m JOIN skein.threads AS t ON t.key = m.thread
         WHERE m.message_id = $1 AND t.owner = $2`,
        messageId,
        owner,
      );
      return toMessage(row ?? null);
    },
    async ownerOf(messageId) {
      const row = await database.get<{ owner: string }>(
        `SELECT t.owner FROM skein.messages AS m JOIN skein.threads AS t ON t.key = m.thread
         WHERE m.message_id = $1 AND t.owner <> ''`,
        messageId,
      );
      return row?.owner;
    },
  };
}

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
  };
}
