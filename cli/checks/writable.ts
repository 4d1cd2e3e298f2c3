/** Whether a file or folder can be written, or made where it is missing, without trying it. */
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Undefined where it can; else the reason, as people read it. */
export function writableReason(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return aboveReason(dirname(path));
    accessSync(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** The nearest folder that there is: what is missing is made in it. */
function aboveReason(folder: string): string | undefined {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found) return dirname(folder) === folder ? 'there is no such folder' : aboveReason(dirname(folder));
  if (!found.isDirectory()) return 'one of its folders is a file';
  accessSync(folder, constants.W_OK | constants.X_OK);
  return undefined;
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not write there';
  if (code === 'EROFS') return 'it lies on a file system that is read-only';
  if (code === 'ENOTDIR') return 'one of its folders is a file';
  return code ?? 'unknown reason';
}
