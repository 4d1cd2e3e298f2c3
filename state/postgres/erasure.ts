/** Counts and deletes a caller's data on PostgreSQL, in short transactions. */

import type { Erasure, OwnedCounts } from '../callers/erasure.ts';
import { OWNED_TABLES, ownedCounts } from '../driver/owned-rows.ts';
import type { Database } from './database/database.ts';

/** The number of rows per transaction. */
const ROWS = 1_000;

export function erasure(database: Database): Erasure {
  return {
    async count(owner) {
      const found = await database.get<OwnedCounts>(
        ownedCounts((name) => `skein.${name}`, '$1'),
        owner,
      );
      if (!found) throw new Error('The query for counts returned no row');
      return found;
    },
    async threads(owner, time, limit) {
      const rows = await database.all<{ thread_id: string }>(
        'SELECT thread_id FROM skein.threads WHERE owner = $1 AND created_at <= $2 LIMIT $3',
        ...[owner, time, limit],
      );
      return rows.map(({ thread_id }) => thread_id);
    },
    async outsideThreads(owner) {
      for (const { table, key } of OWNED_TABLES) {
        const text = deleteOwned(table, key);
        while ((await database.run(text, owner)) > 0);
      }
    },
  };
}

// An array, because the planner looks its elements up in an index. For a subquery, it reads all rows of the owner.
export function deleteOwned(table: string, key: string): string {
  return `DELETE FROM skein.${table} WHERE owner = $1
    AND ${key} = ANY (ARRAY (SELECT ${key} FROM skein.${table} WHERE owner = $1 LIMIT ${ROWS}))`;
}
