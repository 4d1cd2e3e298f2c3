/** What the service has stored, read from its SQLite file beside it. */
import { Database } from 'bun:sqlite';
import { join } from 'node:path';

export interface StoredRun {
  run_id: string;
  status: string;
  prompt: string;
  request: string;
  code: string | null;
}

export interface Stored {
  runs: StoredRun[];
  messages: { message_id: string; role: string; content: string; user_id: string | null }[];
  threads: number;
}

/** Runs in the order in which they were accepted, messages in the order in which they were written. */
export function storedIn(folder: string): Stored {
  const db = new Database(join(folder, '.tmp', 'skein.db'), { readonly: true });
  try {
    return {
      runs: db
        .query<StoredRun, []>(
          `SELECT run_id, status, request, request ->> 'userPrompt' AS prompt, error ->> 'error_code' AS code
           FROM runs ORDER BY run_id`,
        )
        .all(),
      messages: db
        .query<Stored['messages'][number], []>(
          'SELECT message_id, role, content, user_id FROM messages ORDER BY seq',
        )
        .all(),
      threads: db.query<{ n: number }, []>('SELECT count(*) AS n FROM threads').get()?.n ?? 0,
    };
  } finally {
    db.close();
  }
}
