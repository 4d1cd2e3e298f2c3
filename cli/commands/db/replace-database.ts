/** Changes a database in a copy beside it, which takes its place once it is whole. */
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { logOf, realPlace } from '../../../tools/sql/sample/place.ts';
import { failed, reasonOf } from '../../terminal/plain-errors.ts';
import { openDuckDB } from './duckdb-file.ts';

/** Writes and closes the draft. False where it failed, and that was said. */
type Change = (draft: string) => Promise<boolean>;

/** A service that only reads the database goes on with the old one, and finds the new one by itself. */
export async function changeDatabase(path: string, change: Change): Promise<boolean> {
  const place = realPlace(path);
  await mkdir(dirname(place), { recursive: true });
  const draft = `${place}.${Bun.randomUUIDv7()}.tmp`;
  try {
    return await replaced(path, draft, change);
  } finally {
    await Promise.all([draft, `${draft}.wal`].map((each) => rm(each, { force: true })));
  }
}

async function replaced(path: string, draft: string, change: Change): Promise<boolean> {
  const before = versionOf(path);
  if (!(await copied(path, draft)) || !(await change(draft))) return false;
  if (existsSync(`${draft}.wal`)) return refused(`${path}: DuckDB did not finish writing the new file`);
  if (versionOf(path) !== before) return refused(`${path}: it was changed meanwhile; try again`);
  // Nothing in between: the old log does not fit the new file, which has its changes already.
  renameSync(draft, realPlace(path));
  rmSync(logOf(path), { force: true });
  return true;
}

/** With its log, if its last writer crashed: those changes are committed, but not in the file yet. */
async function copied(path: string, draft: string): Promise<boolean> {
  const place = realPlace(path);
  const log = logOf(path);
  const hasLog = existsSync(log);
  if (!existsSync(place)) return hasLog ? refused(`${log}: the database of this log is not there`) : true;
  try {
    // Fails where another process writes, whose changes would go on into a file that is no longer there.
    (await openDuckDB(place, { mode: 'READ_ONLY' })).close();
  } catch (error) {
    return refused(`${path}: ${reasonOf(error)}`);
  }
  await copyFile(place, draft);
  if (hasLog) await copyFile(log, `${draft}.wal`);
  return true;
}

function versionOf(path: string): string {
  return [realPlace(path), logOf(path)]
    .map((file) => {
      const found = statSync(file, { throwIfNoEntry: false });
      return found && `${file} ${found.ino} ${found.size} ${found.mtimeMs}`;
    })
    .join('\n');
}

function refused(message: string): false {
  failed(message);
  return false;
}
