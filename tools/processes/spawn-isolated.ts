/** Starts processes for untrusted work. Each gets an empty folder, and none of the service's environment variables. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * `kind` is part of the name of the process's folder. Requests go to its standard input. Throws if the process cannot be
 * started.
 */
export function spawnIsolated(program: string, kind: string) {
  const folder = mkdtempSync(join(tmpdir(), `skein-${kind}-`));
  try {
    const child = Bun.spawn([process.execPath, '--no-install', '--smol', program], {
      cwd: folder,
      // Without this variable, Bun would write compiled files to disk.
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

/** Removes the folder. If the disk has become read-only, the empty folder stays. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Best effort: nothing depends on it.
  }
}
