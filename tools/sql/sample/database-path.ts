/** Resolves a database's path through symbolic links, and finds the write-ahead log beside it. */
import { existsSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The target of a link, whether it exists or not. Other paths are returned unchanged. */
export function resolveLinks(path: string): string {
  try {
    return existsSync(path) ? realpathSync(path) : resolveLinks(targetOf(path));
  } catch {
    return path;
  }
}

/** Throws if the path is not a link. */
function targetOf(path: string): string {
  const target = readlinkSync(path);
  return resolve(realpathSync(dirname(path)), target);
}

/** DuckDB keeps the write-ahead log beside the file itself, and ignores one beside a link to the file. */
export function walPath(path: string): string {
  return `${resolveLinks(path)}.wal`;
}
