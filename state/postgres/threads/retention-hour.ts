/** The hourly limit of retention on PostgreSQL, by the clock of the database and for all servers. */
import { type RetentionHour, remainingDeletions } from '../../cluster/retention-hour.ts';
import type { Database } from '../database/database.ts';

export const RETENTION_TABLES = `
  CREATE TABLE skein.retention_hour (
    id integer PRIMARY KEY CHECK (id = 1),
    started_at timestamptz NOT NULL, threads bigint NOT NULL, deleted bigint NOT NULL
  );
`;

interface HourRow {
  threads: number;
  deleted: number;
}

const CREATE = `INSERT INTO skein.retention_hour VALUES (1, '-infinity', 0, 0) ON CONFLICT (id) DO NOTHING`;

// If `started_at` is in the future, the clock has been set back since.
const READ = `
  UPDATE skein.retention_hour SET started_at = least(started_at, clock_timestamp())
  RETURNING threads, deleted, started_at > clock_timestamp() - interval '1 hour' AS current`;

const BEGIN = `
  UPDATE skein.retention_hour SET started_at = clock_timestamp(), deleted = 0,
    threads = (SELECT count(*) FROM skein.threads WHERE owner <> '')
  RETURNING threads, deleted`;

const ADD = 'UPDATE skein.retention_hour SET deleted = greatest(0, deleted + $1)';

export function retentionHour(database: Database): RetentionHour {
  return {
    take: (wanted, share) =>
      database.transaction(async (tx) => {
        await tx.run(CREATE);
        const known = await tx.get<HourRow & { current: boolean }>(READ);
        const hour = known?.current ? known : await tx.get<HourRow>(BEGIN);
        if (!hour) throw new Error('The row of the hour does not exist');
        const taken = Math.min(wanted, remainingDeletions(hour, share));
        await tx.run(ADD, taken);
        return taken;
      }),
    async release(count) {
      await database.run(ADD, -count);
    },
  };
}
