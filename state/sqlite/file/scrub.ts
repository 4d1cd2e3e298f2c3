/** Removes the remains of deleted data from the state file and its log. */
import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { asStorageFull } from '../../errors.ts';
import { AUTOCHECKPOINT_PAGES } from './checkpoint-size.ts';
import type { GroupCommit } from './group-commit.ts';

export interface Scrubbing {
  scrub(): Promise<void>;
  /** Whether the last scrub gave up and must be repeated. */
  isPending(): boolean;
}

const REBUILD = join(import.meta.dir, 'rebuild-process.ts');
const TRIES = 40;
const BETWEEN_MS = 25;

// `secure_delete` overwrites deleted rows, but copies of rows that SQLite has moved between pages may remain in the unused
// middle of a page (2 of 340,000 in a file of 30 MB). VACUUM rebuilds the file without them. At this size, VACUUM blocks the
// event loop for about 50 ms, at 32 MB for 170 ms, so a separate process rebuilds larger files.
const MAX_INLINE_BYTES = 8 * 1024 * 1024;

/**
 * `scrub` rebuilds the file, then checkpoints and truncates the log when no reader of another process needs it. It gives up
 * after a second, because a backup may read for a long time; the next scrub tries again. The log remains the same file, so open
 * handles stay valid. Calls before a scrub has started share it. Writes wait while a large file is rebuilt, so the next
 * rebuild only starts after a pause of the same length.
 */
export function scrubbing(db: Database, commit: GroupCommit): Scrubbing {
  // VACUUM in this process needs memory for a copy, which is small.
  db.run('PRAGMA temp_store = MEMORY');
  const truncate = db.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)');
  let newest: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  let earliest = 0;
  let pending = false;

  async function scrubAfter(earlier: Promise<void>): Promise<void> {
    await earlier.catch(() => {});
    await Bun.sleep(Math.max(0, earliest - performance.now()));
    next = undefined;
    pending = true;
    const began = performance.now();
    const isLarge = statSync(db.filename).size > MAX_INLINE_BYTES;
    // If the other process fails, wait for the next scrub: rebuilding here would block all requests.
    pending = !(await (isLarge ? commit.waitingFor(rebuildInProcess) : rebuildHere()));
    const ended = performance.now();
    earliest = isLarge ? ended + (ended - began) : 0;
  }

  /** Returns whether it succeeded. */
  async function rebuildHere(): Promise<boolean> {
    let rebuilt = false;
    for (let tries = 0; tries < TRIES; tries++) {
      commit.flush();
      rebuilt ||= rebuild();
      if (rebuilt && truncate.get()?.busy === 0) return true;
      await Bun.sleep(BETWEEN_MS);
    }
    return false;
  }

  /** Returns whether it succeeded. */
  async function rebuildInProcess(): Promise<boolean> {
    commit.flush();
    // The log then holds the whole file: if a commit of this process copied it back, it would block the event loop.
    db.run('PRAGMA wal_autocheckpoint = 0');
    try {
      const command = [process.execPath, '--no-env-file', REBUILD, db.filename];
      const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' });
      return (await child.exited) === 0;
    } finally {
      db.run(`PRAGMA wal_autocheckpoint = ${AUTOCHECKPOINT_PAGES}`);
    }
  }

  /** Returns whether it succeeded; false if another process is writing. */
  function rebuild(): boolean {
    try {
      db.run('VACUUM');
      return true;
    } catch (error) {
      if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw asStorageFull(error) ?? error;
      return false;
    }
  }

  return {
    scrub() {
      newest = next ??= scrubAfter(newest);
      return next;
    },
    isPending: () => pending,
  };
}
