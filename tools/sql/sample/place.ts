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

/** DuckDB keeps it beside the file itself, and reads none that lies beside a link to it. */
export function logOf(path: string): string {
  return `${realPlace(path)}.wal`;
}
