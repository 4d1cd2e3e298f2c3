/** Puts DuckDB's errors into words that may leave the service. */
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { SqlFailure } from '../engine.ts';

// Some name every candidate.
const MAX_REASON = 600;

/** Why a statement failed. `path` is the database's; no path of the host is left in the words. */
export function sqlFailure(error: unknown, path: string): SqlFailure {
  const message = messageOf(error);
  // What it says there is about settings that nobody can change.
  if (/^Out of Memory/i.test(message))
    return { kind: 'limit', reason: 'The statement needs too much memory' };
  return { kind: 'failed', reason: speakable(message, path) };
}

/** Takes out the folders that a message of the database could name, and cuts it. */
export function speakable(message: string, path: string): string {
  let text = message.replace(/^Failed to extract statements: /, '');
  for (const place of [path, dirname(path), process.cwd(), import.meta.dir, tmpdir()])
    if (place.length > 1) text = text.replaceAll(place, '…');
  return text.length <= MAX_REASON ? text : `${text.slice(0, MAX_REASON).toWellFormed()}…`;
}

/** Why the file cannot be opened, said without its name. */
export function openingFailure(error: unknown): string {
  const message = messageOf(error);
  if (/lock on file|being used by another process/i.test(message))
    return 'another process is writing the database file; it can be read when that has ended';
  if (/does not exist|no such file/i.test(message))
    return 'there is no database file at local_sql_db.database_path';
  if (/not a valid DuckDB|serializ|version|deserial|corrupt|checksum/i.test(message))
    return 'the file at local_sql_db.database_path is no DuckDB database of this version, or damaged';
  return 'the file at local_sql_db.database_path cannot be read';
}

/** After such an error DuckDB refuses all further work. */
export function isFatal(error: unknown): boolean {
  return /^(FATAL|INTERNAL) Error|has been invalidated/i.test(messageOf(error));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
