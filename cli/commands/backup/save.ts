/** Saves the parts of a backup, one function for each. */
import { existsSync, statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SkeinError } from '../../../state/errors.ts';
import { copyState } from '../../../state/transfer/copy.ts';
import { openStore } from '../../../state/transfer/open-store.ts';
import { examineSnapshot, snapshotFile } from '../../../state/transfer/snapshot.ts';
import { walPath } from '../../../tools/sql/sample/database-path.ts';
import { reasonOf } from '../../terminal/plain-errors.ts';
import { openDuckDB } from '../db/duckdb-file.ts';
import { type DataPaths, isFolder } from './data-paths.ts';
import { copyFile, digestOf, filesBelow, removeAll } from './files.ts';
import type { Part, SavedFile } from './manifest.ts';

export const STATE_FILE = 'state/skein.db';
export const DATABASE_FILE = 'database/local.duckdb';

/** A consistent snapshot of the state as a SQLite file, whichever database holds it. */
export async function saveState(
  { location, name, isFile }: DataPaths['state'],
  folder: string,
): Promise<{ version: number; file: SavedFile }> {
  const path = join(folder, STATE_FILE);
  await mkdir(join(folder, 'state'), { mode: 0o700 });
  if (isFile && !existsSync(location))
    throw unreadable(location, 'the file does not exist; the service creates it at its first start');
  const shown = isFile ? location : name;
  const exported = `${path}.export`;
  try {
    if (!isFile) await exportState(location, name, exported);
    snapshotFile(isFile ? location : exported, path);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'SQLiteError') throw error;
    throw unreadable(shown, error.message);
  } finally {
    for (const ending of ['', '-wal', '-shm', '-lock']) await rm(`${exported}${ending}`, { force: true });
  }
  const found = examineSnapshot(path);
  if ('problem' in found) throw unreadable(shown, found.problem);
  return { version: found.version, file: { part: 'state', path: STATE_FILE, ...(await digestOf(path)) } };
}

async function exportState(url: string, name: string, path: string): Promise<void> {
  const [source, target] = [openStore(url, name), openStore(path, 'arguments')];
  try {
    await copyState({ source, target, targetName: 'arguments', replace: false });
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

interface Saving {
  part: Part;
  folder: string;
  skipped(path: string): void;
}

/** Undefined if the folder does not exist. A file that is removed during the copy is left out. */
export async function saveFolder(
  path: string,
  { part, folder, skipped }: Saving,
): Promise<SavedFile[] | undefined> {
  if (!isFolder(path)) return undefined;
  const saved: SavedFile[] = [];
  for (const name of await filesBelow(path, skipped)) {
    const to = `${part}/${name}`;
    try {
      saved.push({ part, path: to, ...(await copyFile(join(path, name), join(folder, to))) });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(join(path, name))) throw error;
    }
  }
  return saved;
}

const TRIES = 5;

/** Undefined if the file is missing. Copies it again if `skein db` replaces it during the copy. */
export async function saveDatabase(path: string, folder: string): Promise<SavedFile[] | undefined> {
  if (!existsSync(path)) return undefined;
  for (let tries = 1; tries <= TRIES; tries++) {
    const before = versionOf(path);
    await assertUnwritten(path);
    const saved: SavedFile[] = [];
    const copies = { [path]: DATABASE_FILE, [walPath(path)]: `${DATABASE_FILE}.wal` };
    for (const [from, to] of Object.entries(copies))
      if (existsSync(from))
        saved.push({ part: 'database', path: to, ...(await copyFile(from, join(folder, to))) });
    if (versionOf(path) === before) return saved;
    await removeAll(join(folder, 'database'));
  }
  throw unreadable(path, 'it kept changing during the copy; try again');
}

/** A process that writes would leave only part of its changes in the copy. */
async function assertUnwritten(path: string): Promise<void> {
  try {
    (await openDuckDB(path, { mode: 'READ_ONLY' })).close();
  } catch (error) {
    throw unreadable(path, reasonOf(error));
  }
}

function versionOf(path: string): string {
  return [path, walPath(path)]
    .map((file) => {
      const found = statSync(file, { throwIfNoEntry: false });
      return found && `${found.ino} ${found.size} ${found.mtimeMs}`;
    })
    .join();
}

function unreadable(location: string, reason: string): SkeinError {
  return new SkeinError('INTERNAL_ERROR', { message: `${location} cannot be saved: ${reason}` });
}
