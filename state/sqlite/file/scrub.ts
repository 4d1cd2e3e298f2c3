/** Makes sure that deleted text is in none of the files any more. */
import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { storageFull } from '../../errors.ts';
import type { GroupCommit } from './group-commit.ts';

export interface Scrubbing {
  scrub(): Promise<void>;
  /** Whether the newest one was given up. */
  isOwed(): boolean;
}

const REBUILD = join(import.meta.dir, 'rebuild-process.ts');
const TRIES = 40;
const BETWEEN_MS = 25;

// `secure_delete` overwrites what is deleted, but where SQLite had moved rows between pages before, copies may stay in
// the unused middle of a page (2 of 340,000 in a file of 30 MB). Writing a file anew removes those too. At this size
// that holds up the event loop for about 50 ms, at 32 MB for 170: larger files are rebuilt by a process of its own.
const REBUILT_HERE_BYTES = 8 * 1024 * 1024;

/**
 * Rebuilds the file, then moves the log's pages into the file and cuts the log to nothing, as soon as no reader
 * outside needs it; after a second that is given up until the next time, since a backup may read for long. The log
 * stays the same file, so an open handle of it stays good. Who asks while one is about to begin shares it.
 */
export function scrubbing(db: Database, commit: GroupCommit): Scrubbing {
  // Rebuilding here needs room for a copy, which is small.
  db.run('PRAGMA temp_store = MEMORY');
  const truncate = db.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)');
  let next: Promise<void> | undefined;
  let owed = false;

  async function scrub(): Promise<void> {
    next = undefined;
    owed = true;
    const isLarge = statSync(db.filename).size > REBUILT_HERE_BYTES;
    // What another process cannot do now is left to the next time: here it would hold up everybody.
    if (isLarge && !(await commit.waitingFor(rebuildElsewhere))) return;
    let rebuilt = isLarge;
    for (let tries = 0; tries < TRIES; tries++) {
      commit.flush();
      rebuilt ||= rebuild();
      if (rebuilt && truncate.get()?.busy === 0) {
        owed = false;
        return;
      }
      await Bun.sleep(BETWEEN_MS);
    }
  }

  /** Gives whether it was done. */
  async function rebuildElsewhere(): Promise<boolean> {
    commit.flush();
    const command = [process.execPath, '--no-env-file', REBUILD, db.filename];
    const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' });
    return (await child.exited) === 0;
  }

  /** Gives whether it was done: somebody outside may be writing. */
  function rebuild(): boolean {
    try {
      db.run('VACUUM');
      return true;
    } catch (error) {
      if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw storageFull(error) ?? error;
      return false;
    }
  }

  return {
    scrub() {
      next ??= Bun.sleep(0).then(scrub);
      return next;
    },
    isOwed: () => owed,
  };
}
