/** Runs a `skein` command to its end, as a script does. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BARE_ENVIRONMENT } from './bare-environment.ts';

const MAIN = join(import.meta.dir, '..', '..', 'cli', 'main.ts');

/** Runs with the bare environment and the given variables. */
export async function runCommand(args: string[], folder: string, env: Record<string, string> = {}) {
  const child = Bun.spawn([process.execPath, '--no-env-file', MAIN, ...args], {
    cwd: folder,
    env: { ...BARE_ENVIRONMENT, HOME: tmpdir(), ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { out, errors, code };
}
