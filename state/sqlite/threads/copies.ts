/** Copies a thread with all its checkpoints and messages on SQLite, in one transaction. */
import type { Database } from 'bun:sqlite';
import { keyOf } from '../../driver/rows.ts';
import type { StoredThread } from '../../threads/archive.ts';
import type { GroupCommit } from '../file/group-commit.ts';

// The tables of checkpoints, with their columns except `thread`.
const TABLES = {
  checkpoints: 'ns, id, parent, run_id, versions, body, metadata, deltas',
  checkpoint_values: 'ns, channel, version, value, elements',
  checkpoint_elements: 'channel, seq, value',
  checkpoint_deltas: 'ns, id, parent, versions, writes',
  checkpoint_writes: 'ns, id, task, writes, path',
};

/** Returns the function that copies a thread to a new one of the same owner. */
export function threadCopies(db: Database, commit: GroupCommit) {
  const insert = db.query<{ key: number }, [string, number, string]>(
    `INSERT INTO threads (owner, thread_id, title, metadata, workflow, head, interrupt, memory, message_count, failed,
       keeps_all, created_at, updated_at, ttl, ttl_strategy, ttl_since)
     SELECT owner, ?1, title, metadata, workflow, head, interrupt, memory, message_count, failed, keeps_all, ?2, ?2, ttl,
       ttl_strategy, ?2
     FROM threads WHERE key = CAST(?3 AS INTEGER) RETURNING key`,
  );
  const copies = Object.entries(TABLES).map(([table, columns]) =>
    db.query<unknown, [string, string]>(
      `INSERT INTO ${table} (thread, ${columns}) SELECT ?1, ${columns} FROM ${table} WHERE thread = ?2`,
    ),
  );
  const messages = db.query(
    `INSERT INTO messages (thread, message_id, run_id, workflow, role, content, status, user_id, outputs, token_count,
       created_at)
     SELECT ?1, lower(hex(randomblob(16))), run_id, workflow, role, content, status, user_id, outputs, token_count,
       created_at
     FROM messages WHERE thread = CAST(?2 AS INTEGER) ORDER BY seq`,
  );

  return (from: Pick<StoredThread, 'key'>, threadId: string, at: number): Promise<void> =>
    commit.write(from.key, () => {
      const created = insert.get(threadId, at, from.key);
      if (!created) throw new Error('The thread to copy does not exist');
      const key = keyOf(created.key);
      for (const copy of copies) copy.run(key, from.key);
      messages.run(created.key, from.key);
    });
}
