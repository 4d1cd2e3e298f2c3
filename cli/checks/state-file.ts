/** Whether the state file can be used: written by this user, not damaged, and held by nobody else. */
import { constants, Database } from 'bun:sqlite';
import { existsSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { type Check, failure, ok } from './check.ts';
import { writableReason } from './writable.ts';

const NAME = 'state file';
const FIELD = 'chat_history.database_path';

/** Nothing is written, and no file is made. `isServed` where a service of this kind has the configured port. */
export function stateFileCheck(path: string, isServed: boolean): Check {
  const reason = writableReason(path);
  if (reason) return failure(NAME, `${path}: ${reason}`, `make it writable, or change ${FIELD}`);
  if (isHeld(path))
    return isServed
      ? ok(NAME, `${path}: in use by the running service`)
      : failure(NAME, `${path}: another process has it`, `stop that process, or change ${FIELD}`);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return ok(NAME, `${path}: made at the first start`);
  if (!found.isFile()) return failure(NAME, `${path}: expected a file`, `change ${FIELD}`);
  const damage = damageOf(path);
  if (damage) return failure(NAME, `${path}: ${damage}`, `restore it from a backup, or change ${FIELD}`);
  return ok(NAME, `${path}: ${(found.size / 1024 ** 2).toFixed(1)} MiB`);
}

/** Whether a process has this state file open. */
export function isHeld(path: string): boolean {
  const lock = `${path}-lock`;
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

/** Immutable: even a reader would otherwise make the files that go with a write-ahead log. */
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
