/** Resolves a database's path through symbolic links, and finds the write-ahead log beside it. */
import { existsSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The target of a link, existing or not; other paths are returned unchanged. */
export function realPlace(path: string): string {
  try {
    return existsSync(path) ? realpathSync(path) : realPlace(targetOf(path));
  } catch {
    return path;
  }
}

/** Throws if this is not a link. */
function targetOf(path: string): string {
  const target = readlinkSync(path);
  return resolve(realpathSync(dirname(path)), target);
}

/** DuckDB keeps it beside the file itself, and ignores one beside a link to it. */
export function logOf(path: string): string {
  return `${realPlace(path)}.wal`;
}
