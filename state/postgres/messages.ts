/** Finds messages by id on PostgreSQL. */
import { type MessageRow, toMessage } from '../driver/rows.ts';
import type { Messages } from '../state.ts';
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
