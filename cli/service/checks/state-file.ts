/** Whether the state file is usable: writable by this user, not damaged, and not open in another process. */
import { constants, Database } from 'bun:sqlite';
import { existsSync, lstatSync, readlinkSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fileRefusal } from '../../../state/transfer/state-file.ts';
import { type Check, failure, ok } from './check.ts';
import { LEADS_NOWHERE, reasonOf, writableReason } from './writable.ts';

const NAME = 'state file';
const FIELD = 'chat_history.database_path';

/** Writes nothing and creates no file. `isServed`: a Skein service already uses the configured port. */
export function stateFileCheck(path: string, isServed: boolean): Check {
  const reason = unusableReason(path);
  if (reason) return failure(NAME, `${path}: ${reason}`, `make it writable, or change ${FIELD}`);
  if (isHeld(path))
    return isServed
      ? ok(NAME, `${path}: in use by the running service`)
      : failure(NAME, `${path}: in use by another process`, `stop that process, or change ${FIELD}`);
  const lock = lockOf(path);
  const lockDamage = existsSync(lock) && damageOf(lock);
  if (lockDamage) return failure(NAME, `${lock}: ${lockDamage}`, `remove it, or change ${FIELD}`);
  const found = statOf(path);
  if (!found) return ok(NAME, `${path}: created at the first start`);
  if (!found.isFile()) return failure(NAME, `${path}: expected a file`, `change ${FIELD}`);
  const damage = damageOf(path);
  if (damage) return failure(NAME, `${path}: ${damage}`, `restore it from a backup, or change ${FIELD}`);
  const refused = fileRefusal(path);
  if (refused) return failure(NAME, `${path}: ${refused}`, `change ${FIELD}`);
  return ok(NAME, `${path}: ${(found.size / 1024 ** 2).toFixed(1)} MiB`);
}

const lockOf = (path: string) => `${path}-lock`;
const statOf = (path: string) => statSync(path, { throwIfNoEntry: false });

/** Why the file, or one of its companion files, cannot be created or written. */
function unusableReason(path: string): string | undefined {
  try {
    if (path !== path.trimEnd()) return 'its name ends with a space';
    const made = linkedFrom(path);
    if (made !== path && !statOf(dirname(made))?.isDirectory()) return LEADS_NOWHERE;
    // The lock is a database too, so it has a journal.
    const beside = ['-wal', '-shm', '-journal', '-lock', '-lock-journal'].map((ending) => path + ending);
    return writableReason(made) ?? beside.map(besideReason).find((reason) => reason !== undefined);
  } catch (error) {
    return reasonOf(error);
  }
}

/** The path that the first start creates: SQLite creates the target file of a link, but not its folder. */
function linkedFrom(path: string): string {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  return isLink && !statOf(path) ? linkedFrom(resolve(dirname(path), readlinkSync(path))) : path;
}

function besideReason(file: string): string | undefined {
  const reason = writableReason(file) ?? (statOf(file)?.isFile() === false ? 'expected a file' : undefined);
  return reason && `${basename(file)} beside it: ${reason}`;
}

/** Whether a process has this state file open. */
export function isHeld(path: string): boolean {
  const lock = lockOf(path);
  if (!existsSync(lock)) return false;
  let file: Database | undefined;
  try {
    file = new Database(lock, { readwrite: true, create: false });
    file.run('BEGIN EXCLUSIVE');
    file.run('ROLLBACK');
    return false;
  } catch (error) {
    return error instanceof Error && error.message.includes('locked');
  } finally {
    file?.close();
  }
}

/** Immutable: otherwise even a reader would create the files of a write-ahead log. */
function damageOf(path: string): string | undefined {
  const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
  try {
    const db = new Database(`${pathToFileURL(path)}?immutable=1`, flags);
    try {
      db.query('SELECT count(*) FROM sqlite_schema').get();
      return undefined;
    } finally {
      db.close();
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
