/** Starts processes for untrusted work: each gets an empty folder and nothing of the service's environment. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `kind` is part of its folder's name; requests go to its standard input. Throws if it cannot be started. */
export function spawnIsolated(program: string, kind: string) {
  const folder = mkdtempSync(join(tmpdir(), `skein-${kind}-`));
  try {
    const child = Bun.spawn([process.execPath, '--no-install', '--smol', program], {
      cwd: folder,
      // Without it Bun would write compiled files to disk.
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

/** If the disk is read-only by now, the empty folder stays. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Best effort: nothing depends on it.
  }
}
