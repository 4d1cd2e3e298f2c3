/** The statistics of SQLite's query planner. */
import type { Database } from 'bun:sqlite';
import { asStorageFull } from '../../errors.ts';

const MIN_ROWS = 1_000;

/** Must be called before the file is closed. */
export function updateStatistics(db: Database): void {
  attempt(() => db.run('PRAGMA optimize'));
}

/**
 * Drops the statistics of small tables, which are only updated when the file is closed. With them, the planner reads the whole
 * table for each row of a join even after the table has grown. Without them, it uses indexes.
 */
export function dropEarlyStatistics(db: Database): void {
  const exists = db.query(`SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'`);
  if (!exists.get()) return;
  attempt(() => {
    db.query(
      `DELETE FROM sqlite_stat1 WHERE tbl IN (
         SELECT tbl FROM sqlite_stat1 GROUP BY tbl HAVING max(CAST(stat AS INTEGER)) < ?)`,
    ).run(MIN_ROWS);
    // Makes the planner read the remaining statistics.
    db.run('ANALYZE sqlite_schema');
  });
}

/** Does nothing if another process is writing or the disk is full. */
function attempt(work: () => void): void {
  try {
    work();
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_BUSY' && !asStorageFull(error)) throw error;
  }
}
