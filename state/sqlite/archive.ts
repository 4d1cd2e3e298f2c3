/** The archive on SQLite. */
import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import type { Archive, ArchiveSize } from '../threads/archive.ts';
import { checkpointArchive } from './checkpoints/list.ts';
import type { SqliteSaver } from './checkpoints/saver.ts';
import type { GroupCommit } from './file/group-commit.ts';
import type { RawFile } from './file/raw-file.ts';
import { forks } from './threads/forks.ts';
import { listings } from './threads/listings.ts';
import { removal } from './threads/removal.ts';
import { threadArchive } from './threads/threads.ts';

const COUNT_MS = 60_000;

export interface ArchiveParts {
  db: Database;
  commit: GroupCommit;
  saver: SqliteSaver;
  file: RawFile;
}

export function archive({ db, commit, saver, file }: ArchiveParts): Archive {
  const removing = removal({ db, commit, saver, file });
  return {
    threads: threadArchive(db, commit),
    ...listings(db, commit),
    checkpoints: checkpointArchive(db, commit),
    forks: forks({ db, commit, saver, removal: removing }),
    removal: removing,
    size: sizes(db),
  };
}

/** Counting reads a whole index, so the counts are cached for a minute. */
function sizes(db: Database): () => Promise<ArchiveSize> {
  const count = db.query<{ threads: number; runs: number }, []>(
    `SELECT (SELECT count(*) FROM threads WHERE owner > '') AS threads, (SELECT count(*) FROM runs) AS runs`,
  );
  let counted = { threads: 0, runs: 0 };
  let at = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - at > COUNT_MS) {
      counted = count.get() ?? counted;
      at = performance.now();
    }
    return { stateBytes: bytesOf(db.filename), logBytes: bytesOf(`${db.filename}-wal`), ...counted };
  };
}

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
