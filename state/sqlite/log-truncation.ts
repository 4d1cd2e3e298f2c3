/** Empties the write-ahead log, which still holds what was deleted from the database. */
import type { Database } from 'bun:sqlite';
import type { GroupCommit } from './group-commit.ts';

const TRIES = 40;
const BETWEEN_MS = 25;

/**
 * Moves the log's pages into the file and cuts it to nothing, as soon as no reader outside needs it. After a second it
 * is given up until the next time: a backup may read for long. The log stays the same file, so an open handle of it
 * stays good.
 */
export function logTruncation(db: Database, commit: GroupCommit): () => Promise<void> {
  const checkpoint = db.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)');
  return async () => {
    for (let tries = 0; tries < TRIES; tries++) {
      commit.flush();
      if (checkpoint.get()?.busy === 0) return;
      await Bun.sleep(BETWEEN_MS);
    }
  };
}
