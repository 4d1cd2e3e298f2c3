/** Resolves a database's path through symbolic links, and finds the write-ahead log beside it. */
import { existsSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The target of a link, existing or not; other paths are returned unchanged. */
export function resolveLinks(path: string): string {
  try {
    return existsSync(path) ? realpathSync(path) : resolveLinks(targetOf(path));
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
export function walPath(path: string): string {
  return `${resolveLinks(path)}.wal`;
}
