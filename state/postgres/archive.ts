/** The archive on PostgreSQL: its parts on one database. */
import type { Archive, ArchiveSize, CheckpointArchive } from '../archive.ts';
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

/** As many rows as there are; many are not counted but estimated, as the last analysis of the table has them. */
const count = (table: string, condition: string) => `(
  SELECT CASE WHEN few.count <= ${FEW} THEN few.count ELSE greatest(few.count, c.reltuples::bigint) END
  FROM pg_class AS c, (
    SELECT count(*) FROM (SELECT FROM ${table} WHERE ${condition} LIMIT ${FEW + 1}) AS rows) AS few
  WHERE c.oid = '${table}'::regclass)`;

// Hidden threads are few.
const SIZE = `
  SELECT (SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
      WHERE relnamespace = 'skein'::regnamespace AND relkind = 'r') AS bytes,
    ${count('skein.threads', "owner <> ''")} AS threads,
    ${count('skein.runs', "thread <> ALL (ARRAY (SELECT key FROM skein.threads WHERE owner = ''))")} AS runs`;

/** Its log is the server's, of all databases: how long it is belongs to none of them. */
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
