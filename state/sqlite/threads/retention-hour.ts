/** The hourly limit of retention on SQLite. */
import type { Database } from 'bun:sqlite';
import { HOUR_MS, type RetentionHour, remainingDeletions } from '../../cluster/retention-hour.ts';
import type { GroupCommit } from '../file/group-commit.ts';

export const RETENTION_TABLES = `
  CREATE TABLE retention_hour (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    started_at INTEGER NOT NULL, threads INTEGER NOT NULL, deleted INTEGER NOT NULL
  );
`;

interface HourRow {
  started_at: number;
  threads: number;
  deleted: number;
}

export function retentionHour(db: Database, commit: GroupCommit): RetentionHour {
  const read = db.query<HourRow, []>('SELECT started_at, threads, deleted FROM retention_hour');
  const begin = db.query<HourRow, [number]>(
    `INSERT INTO retention_hour (id, started_at, threads, deleted)
     SELECT 1, ?, count(*), 0 FROM threads WHERE owner > ''
     ON CONFLICT (id) DO UPDATE SET started_at = excluded.started_at, threads = excluded.threads, deleted = 0
     RETURNING started_at, threads, deleted`,
  );
  const add = db.query('UPDATE retention_hour SET deleted = max(0, deleted + ?)');
  /** On the monotonic clock, so that a changed system clock has no effect while the process runs. */
  let beganAt: number | undefined;

  function current(): HourRow {
    const row = read.get();
    if (row) beganAt ??= performance.now() - Math.min(HOUR_MS, Math.max(0, Date.now() - row.started_at));
    if (row && beganAt !== undefined && performance.now() - beganAt < HOUR_MS) return row;
    const started = begin.get(Date.now());
    if (!started) throw new Error('The row of the hour does not exist');
    beganAt = performance.now();
    return started;
  }

  return {
    take: (wanted, share) =>
      commit.write('retention', () => {
        const taken = Math.min(wanted, remainingDeletions(current(), share));
        add.run(taken);
        return taken;
      }),
    release: (count) => commit.write('retention', () => void add.run(-count)),
  };
}
