/** Whether a file or folder can be written or created, without trying it. */
import { accessSync, constants, lstatSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Undefined if it can; otherwise the reason, for people. */
export function writableReason(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return missingReason(path, []);
    accessSync(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** A missing path is created in the nearest folder that exists; `below` is the part of the path already walked up. */
function missingReason(path: string, below: string[]): string | undefined {
  if (lstatSync(path, { throwIfNoEntry: false })) return LEADS_NOWHERE;
  const names = [basename(path), ...below];
  const folder = dirname(path);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found) return folder === path ? 'the folder does not exist' : missingReason(folder, names);
  if (!found.isDirectory()) return 'one of its folders is a file';
  accessSync(folder, constants.W_OK | constants.X_OK);
  if (KERNEL_FILE_SYSTEMS.has(statfsSync(folder).type))
    return 'files cannot be created on this kind of file system';
  // The system checks the length of a name only in a folder that exists.
  for (const name of names) statSync(join(folder, name), { throwIfNoEntry: false });
  return undefined;
}

export const LEADS_NOWHERE = 'it is a broken link, or is inside one';

// Linux's, by their numbers in statfs(2): proc, sysfs, devpts, cgroup, cgroup2, debugfs, tracefs. Root may write to each.
const KERNEL_FILE_SYSTEMS = new Set([
  0x9fa0, 0x62656572, 0x1cd1, 0x27e0eb, 0x63677270, 0x64626720, 0x74726163,
]);

export function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'no permission to write there';
  if (code === 'EROFS') return 'it is on a read-only file system';
  if (code === 'ENOTDIR') return 'one of its folders is a file';
  if (code === 'ENAMETOOLONG') return 'its name is too long';
  if (code === 'ELOOP') return LEADS_NOWHERE;
  return code ?? 'unknown reason';
}
