/** Removes the remains of deleted data from the state file and its log. */
import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { GroupCommit } from './group-commit.ts';
import { pagesWithRemains, remainsIn } from './page-remains.ts';
import type { RawFile } from './raw-file.ts';

export interface Scrubbing {
  scrub(): Promise<void>;
  /** Whether the last scrub gave up and must be repeated. */
  isPending(): boolean;
}

const FIND = join(import.meta.dir, 'find-remains-process.ts');
// Looking for remains takes about 0.5 ms for each megabyte. A separate process does it for a larger file.
const MAX_READ_HERE_BYTES = 8 * 1024 * 1024;
// Takes a few milliseconds.
const PAGES_AT_ONCE = 200;
const TRIES = 40;
const BETWEEN_MS = 25;

/**
 * `secure_delete` overwrites deleted rows, but copies of rows that SQLite has moved between pages may remain in the unused
 * middle of a page (2 of 340,000 in a file of 30 MB). `scrub` overwrites these parts, and truncates the log. VACUUM would do the
 * same, but it blocks writes for 8 s at 1 GB.
 *
 * `scrub` gives up after a second if a reader of another process, such as a backup, needs the log; the next scrub tries again.
 * Calls before a scrub has started share it. It reads the whole file, so the next scrub of a large file only starts after a
 * pause of the same length.
 */
export function scrubbing(db: Database, commit: GroupCommit, file: RawFile): Scrubbing {
  const truncate = db.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)');
  const pageSize = db.query<{ page_size: number }, []>('PRAGMA page_size').get()?.page_size ?? 0;
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
    const isLarge = statSync(db.filename).size > MAX_READ_HERE_BYTES;
    pending = !(await scrubbed(isLarge));
    const ended = performance.now();
    earliest = isLarge ? ended + (ended - began) : 0;
  }

  /** Returns whether it succeeded. */
  async function scrubbed(isLarge: boolean): Promise<boolean> {
    // Remains in the log can be found when they are in the file.
    if (!(await repeated(truncated))) return false;
    const pages = isLarge ? await foundByProcess() : pagesWithRemains(file.read, pageSize);
    if (!pages) return false;
    for (let start = 0; start < pages.length; start += PAGES_AT_ONCE) {
      const slice = pages.slice(start, start + PAGES_AT_ONCE);
      if (!(await repeated(() => overwritten(slice)))) return false;
      // Otherwise, the next checkpoint would sync these pages and block the event loop meanwhile.
      await file.sync();
    }
    return true;
  }

  /** Undefined if the process failed. */
  async function foundByProcess(): Promise<number[] | undefined> {
    const command = [process.execPath, '--no-env-file', FIND, db.filename, String(pageSize)];
    const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' });
    const found = await new Response(child.stdout).text();
    return (await child.exited) === 0 ? (JSON.parse(found) as number[]) : undefined;
  }

  /** Calls `work` until it succeeds, for at most a second. Returns whether it did. */
  async function repeated(work: () => boolean): Promise<boolean> {
    for (let tries = 0; tries < TRIES; tries++) {
      commit.flush();
      if (work()) return true;
      await Bun.sleep(BETWEEN_MS);
    }
    return false;
  }

  /** False if another process is reading the log. */
  function truncated(): boolean {
    return truncate.get()?.busy === 0;
  }

  /**
   * Overwrites the unused parts of pages. SQLite doesn't read these parts. It doesn't write to the file while the log is empty and
   * locked. Returns false if another process is using the log.
   */
  function overwritten(pages: readonly number[]): boolean {
    if (!truncated() || !locked()) return false;
    try {
      if (statSync(`${db.filename}-wal`).size > 0) return false;
      for (const page of pages) overwrite(page);
      return true;
    } finally {
      db.run('ROLLBACK');
      // Otherwise, SQLite would write its cached copies of these pages, with the remains, when their rows change.
      db.run('PRAGMA shrink_memory');
    }
  }

  function locked(): boolean {
    try {
      db.run('BEGIN IMMEDIATE');
      return true;
    } catch (error) {
      if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
      return false;
    }
  }

  function overwrite(number: number): void {
    const position = (number - 1) * pageSize;
    const page = Buffer.alloc(pageSize);
    file.read(page, position);
    const [start, end] = remainsIn(page, number) ?? [0, 0];
    file.write(page.fill(0).subarray(start, end), position + start);
  }

  return {
    scrub() {
      newest = next ??= scrubAfter(newest);
      return next;
    },
    isPending: () => pending,
  };
}
