/** Rewrites DuckDB's errors so that they are safe to show. */
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { SqlFailure } from '../../engine.ts';

// Some messages list every candidate.
const MAX_REASON = 600;

/** Why a statement failed. `path` is the path of the database. The reason contains no path of the host. */
export function sqlFailure(error: unknown, path: string): SqlFailure {
  const message = messageOf(error);
  // The original message suggests settings that users cannot change.
  if (/^Out of Memory/i.test(message))
    return { kind: 'limit', reason: 'The statement needs too much memory' };
  return { kind: 'failed', reason: speakable(message, path) };
}

/** Removes folders that a message of the database may name, and truncates the message. */
export function speakable(message: string, path: string): string {
  let text = message.replace(/^Failed to extract statements: /, '');
  for (const hidden of [path, dirname(path), process.cwd(), dirname(import.meta.dir), tmpdir()])
    if (hidden.length > 1) text = text.replaceAll(hidden, '…');
  return text.length <= MAX_REASON ? text : `${text.slice(0, MAX_REASON).toWellFormed()}…`;
}

/** Why the file cannot be opened, without its name. */
export function openingFailure(error: unknown): string {
  const message = messageOf(error);
  if (/lock on file|being used by another process/i.test(message))
    return 'another process has the database file open for writing; it can be read once that process has exited';
  if (/does not exist|no such file/i.test(message))
    return 'the database file at local_sql_db.database_path does not exist';
  if (/not a valid DuckDB|serializ|version|deserial|corrupt|checksum/i.test(message))
    return 'the file at local_sql_db.database_path is not a valid DuckDB database of this version';
  return 'the file at local_sql_db.database_path cannot be read';
}

/** Whether DuckDB rejects all further work after the error. */
export function isFatal(error: unknown): boolean {
  return /^(FATAL|INTERNAL) Error|has been invalidated/i.test(messageOf(error));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
