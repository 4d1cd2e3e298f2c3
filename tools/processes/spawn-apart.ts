/** Starts processes for untrusted work: each has an empty folder, and nothing of the service's environment. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `kind` is in its folder's name; it is asked on its standard input. Throws where it cannot be started. */
export function spawnApart(program: string, kind: string) {
  const folder = mkdtempSync(join(tmpdir(), `skein-${kind}-`));
  try {
    const child = Bun.spawn([process.execPath, '--no-install', '--smol', program], {
      cwd: folder,
      // Without it Bun would keep compiled files on the disk.
      env: { BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0' },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'ignore',
    });
    return {
      child,
      async end(): Promise<void> {
        child.kill('SIGKILL');
        await child.exited;
        remove(folder);
      },
    };
  } catch (error) {
    remove(folder);
    throw error;
  }
}

/** A disk that can no longer be written keeps it: it is empty, and no reason to fail. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It is tried, and nobody is told: nothing depends on it.
  }
}
