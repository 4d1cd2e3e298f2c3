/** The archive on PostgreSQL. */
import type { Archive, ArchiveSize, CheckpointArchive } from '../threads/archive.ts';
import type { Database } from './database/database.ts';
import type { Checkpoints } from './threads/checkpoints.ts';
import { forks } from './threads/forks.ts';
import { listings } from './threads/listings.ts';
import { removal } from './threads/removal.ts';
import { threadArchive } from './threads/threads.ts';

export interface ArchiveParts {
  database: Database;
  checkpoints: Checkpoints;
  reading: CheckpointArchive;
}

const COUNT_MS = 60_000;
const FEW = 100_000;

export function archive({ database, checkpoints, reading }: ArchiveParts): Archive {
  const removing = removal(database, checkpoints);
  return {
    threads: threadArchive(database),
    ...listings(database),
    checkpoints: reading,
    forks: forks({ database, checkpoints, removal: removing }),
    removal: removing,
    size: sizes(database),
  };
}

/** The number of rows; above 100,000, the planner's estimate from the last ANALYZE. */
const count = (table: string, condition: string) => `(
  SELECT CASE WHEN few.count <= ${FEW} THEN few.count ELSE greatest(few.count, c.reltuples::bigint) END
  FROM pg_class AS c, (
    SELECT count(*) FROM (SELECT FROM ${table} WHERE ${condition} LIMIT ${FEW + 1}) AS rows) AS few
  WHERE c.oid = '${table}'::regclass)`;

// Leaves out the runs of hidden threads. There are few hidden threads, so this is fast.
const SIZE = `
  SELECT (SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
      WHERE relnamespace = 'skein'::regnamespace AND relkind = 'r') AS bytes,
    ${count('skein.threads', "owner <> ''")} AS threads,
    ${count('skein.runs', "thread <> ALL (ARRAY (SELECT key FROM skein.threads WHERE owner = ''))")} AS runs`;

/** `logBytes` is 0, because PostgreSQL has one WAL for all databases of the server. */
function sizes(database: Database): () => Promise<ArchiveSize> {
  let counted: Promise<ArchiveSize> | undefined;
  let at = Number.NEGATIVE_INFINITY;

  async function measured(): Promise<ArchiveSize> {
    const row = await database.get<{ bytes: number; threads: number; runs: number }>(SIZE);
    const { bytes = 0, threads = 0, runs = 0 } = row ?? {};
    return { stateBytes: bytes, logBytes: 0, threads, runs };
  }

  return () => {
    if (!counted || performance.now() - at > COUNT_MS) {
      at = performance.now();
      counted = measured();
      counted.catch(() => {
        counted = undefined;
      });
    }
    return counted;
  };
}
