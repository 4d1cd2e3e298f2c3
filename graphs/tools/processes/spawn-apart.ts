/** Starts a process for untrusted work: it has nothing of the service's environment. */

/** `folder` is its working folder, which has nothing in it; it is asked on its standard input. */
export function spawnApart(program: string, folder: string) {
  return Bun.spawn([process.execPath, '--no-install', '--smol', program], {
    cwd: folder,
    // Without it Bun would keep compiled files on the disk.
    env: { BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0' },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  });
}
