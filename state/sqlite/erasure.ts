/** Counts and deletes a caller's data on SQLite, in short transactions. */
import type { Database } from 'bun:sqlite';
import type { Erasure, OwnedCounts } from '../callers/erasure.ts';
import { OWNED_TABLES, ownedCounts } from '../driver/owned-rows.ts';
import type { GroupCommit } from './file/group-commit.ts';

// Few rows per transaction, because an item may take megabytes.
const ROWS = 25;

export function erasure(db: Database, commit: GroupCommit): Erasure {
  const counts = db.query<OwnedCounts, [string]>(ownedCounts((name) => name, '?1'));
  const threads = db.query<{ thread_id: string }, [string, number, number]>(
    'SELECT thread_id FROM threads WHERE owner = ? AND created_at <= ? LIMIT ?',
  );
  const deletions = OWNED_TABLES.map(({ table, key }) =>
    db.query(
      `DELETE FROM ${table} WHERE owner = ?1 AND ${key} IN (SELECT ${key} FROM ${table} WHERE owner = ?1 LIMIT ?2)`,
    ),
  );
  return {
    async count(owner) {
      commit.flush();
      const found = counts.get(owner);
      if (!found) throw new Error('The query for counts returned no row');
      return found;
    },
    async threads(owner, time, limit) {
      commit.flush();
      return threads.all(owner, time, limit).map(({ thread_id }) => thread_id);
    },
    async outsideThreads(owner) {
      for (const deletion of deletions)
        while ((await commit.commit(`all of ${owner}`, () => deletion.run(owner, ROWS).changes)) > 0)
          await Bun.sleep(0);
    },
  };
}
