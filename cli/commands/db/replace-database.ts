/** Changes a copy of a database beside it, and replaces the original when the copy is complete. */
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { resolveLinks, walPath } from '../../../tools/sql/sample/database-path.ts';
import { failed, reasonOf } from '../../terminal/plain-errors.ts';
import { openDuckDB } from './duckdb-file.ts';

/** Writes and closes the draft. False if it failed; the error has been printed. */
type Change = (draft: string) => Promise<boolean>;

/** A service that reads the database keeps using the old one until it opens the new one. */
export async function changeDatabase(path: string, change: Change): Promise<boolean> {
  const target = resolveLinks(path);
  await mkdir(dirname(target), { recursive: true });
  const draft = `${target}.${Bun.randomUUIDv7()}.tmp`;
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
  if (versionOf(path) !== before) return refused(`${path}: it was changed during the command; try again`);
  // No await between these: the old log does not fit the new file, which already has its changes.
  renameSync(draft, resolveLinks(path));
  rmSync(walPath(path), { force: true });
  return true;
}

/** With its log, if the last writer crashed: those changes are committed but not yet in the file. */
async function copied(path: string, draft: string): Promise<boolean> {
  const target = resolveLinks(path);
  const log = walPath(path);
  const hasLog = existsSync(log);
  if (!existsSync(target)) return hasLog ? refused(`${log}: its database file is missing`) : true;
  try {
    // Fails if another process writes: its changes would go to a replaced file.
    (await openDuckDB(target, { mode: 'READ_ONLY' })).close();
  } catch (error) {
    return refused(`${path}: ${reasonOf(error)}`);
  }
  await copyFile(target, draft);
  if (hasLog) await copyFile(log, `${draft}.wal`);
  return true;
}

function versionOf(path: string): string {
  return [resolveLinks(path), walPath(path)]
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
