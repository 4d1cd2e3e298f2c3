/** Where a database lies: behind symbolic links, and with the changes that its last writer left in a log beside it. */
import { existsSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The file that a link names, there or not yet; a path that is no link stays as it is. */
export function realPlace(path: string): string {
  try {
    return existsSync(path) ? realpathSync(path) : realPlace(targetOf(path));
  } catch {
    return path;
  }
}

/** Throws where this is no link. */
function targetOf(path: string): string {
  const target = readlinkSync(path);
  return resolve(realpathSync(dirname(path)), target);
}

/** DuckDB writes the log beside the name that it was given, which may be a link's. */
export function logsOf(path: string): string[] {
  return [...new Set([`${resolve(path)}.wal`, `${resolve(realPlace(path))}.wal`])].filter((log) =>
    existsSync(log),
  );
}
