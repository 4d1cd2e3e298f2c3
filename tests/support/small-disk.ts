/** A real file system of a few MiB that tests can fill. */
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  folder: string;
  /** Fills it completely. */
  fill(): void;
  /** Removes the filling. */
  empty(): void;
  /** Remounts it writable or read-only. No file may be open for writing. */
  setWritable(isWritable: boolean): void;
  remove(): void;
}

/** Undefined if this user may not mount file systems, which is printed. Skip tests in that case. */
export function smallDisk(mebibytes: number, owner = 0): SmallDisk | undefined {
  const root = mkdtempSync(join(tmpdir(), 'skein-disk-'));
  // Lets its owner enter the folder.
  chmodSync(root, 0o755);
  const folder = join(root, 'disk');
  mkdirSync(folder);
  const options = `size=${mebibytes}m,mode=0700,uid=${owner},gid=${owner}`;
  if (!hasRun(['mount', '-t', 'tmpfs', '-o', options, 'skein-test', folder])) {
    rmSync(root, { recursive: true });
    console.log('SKIPPED: this user may not mount a small file system');
    return undefined;
  }
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill() {
      const file = openSync(ballast, 'a');
      for (let size = 1024 * 1024; size >= 1; )
        try {
          if (writeSync(file, new Uint8Array(size).fill(1)) < size) size >>= 1;
        } catch {
          size >>= 1;
        }
      closeSync(file);
    },
    empty: () => rmSync(ballast),
    setWritable(isWritable) {
      const mode = isWritable ? 'remount,rw' : 'remount,ro';
      if (!hasRun(['mount', '-o', mode, folder])) throw new Error(`${folder}: ${mode} failed`);
    },
    remove() {
      hasRun(['umount', '--lazy', folder]);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function hasRun(command: string[]): boolean {
  try {
    return Bun.spawnSync(command, { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0;
  } catch {
    return false;
  }
}
