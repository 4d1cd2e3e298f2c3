/** Copies a thread with all its checkpoints and messages on PostgreSQL. */
import type { StoredThread } from '../../threads/archive.ts';
import type { Database } from '../database/database.ts';

// The tables of checkpoints, with their columns except `thread`.
const TABLES = {
  checkpoints: 'ns, id, parent, run_id, versions, body, metadata, deltas',
  checkpoint_values: 'ns, channel, version, value, elements',
  checkpoint_elements: 'channel, seq, value',
  checkpoint_deltas: 'ns, id, parent, versions, writes',
  checkpoint_writes: 'ns, id, task, writes, path',
};

export const MESSAGE_COLUMNS =
  'run_id, workflow, role, content, status, user_id, outputs, token_count, created_at';

// A single statement, so that it reads one snapshot of the thread while runs may be writing to it.
const COPY = `
  WITH made AS (
    INSERT INTO skein.threads (owner, thread_id, title, metadata, workflow, head, interrupt, interrupt_run, interrupt_since, interrupt_writes, memory,
      message_count, failed, keeps_all, created_at, updated_at, ttl, ttl_strategy, ttl_since)
    SELECT owner, $1, title, metadata, workflow, head, interrupt, interrupt_run, interrupt_since, interrupt_writes, memory,
      message_count, failed, keeps_all, $2::bigint, $2::bigint, ttl, ttl_strategy, $2::bigint
    FROM skein.threads WHERE key = $3 AND owner <> '' RETURNING key),
  ${Object.entries(TABLES)
    .map(
      ([table, columns]) => `${table}_copy AS (
    INSERT INTO skein.${table} (thread, ${columns})
    SELECT skein.key_of(made.key), ${columns} FROM made, skein.${table} WHERE thread = $4)`,
    )
    .join(', ')},
  messages_copy AS (
    INSERT INTO skein.messages (thread, message_id, ${MESSAGE_COLUMNS})
    SELECT made.key, gen_random_uuid(), ${MESSAGE_COLUMNS} FROM made, skein.messages WHERE thread = $3 ORDER BY seq)
  SELECT key FROM made`;

/** Returns the function that copies a thread to a new one of the same owner. */
export function threadCopies(database: Database) {
  return async ({ key }: Pick<StoredThread, 'key'>, threadId: string, at: number): Promise<void> => {
    // In a transaction, because its timeout is longer than that of a statement.
    const created = await database.transaction((tx) => tx.get(COPY, threadId, at, Number(key), key));
    if (!created) throw new Error('The thread to copy does not exist');
  };
}
