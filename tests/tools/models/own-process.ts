/** Makes one model call in a separate process. */
import { join } from 'node:path';
import { BARE_ENVIRONMENT } from '../../support/bare-environment.ts';

export interface CallOutput {
  said: string;
  /** The growth of the process's memory during the call, at its peak. */
  grownBytes: number;
}

/** `env` is the whole environment of the process, except the variables that locate programs. */
export async function callOnce(
  url: string,
  env: Record<string, string> = {},
): Promise<{ stdout: CallOutput; stderr: string }> {
  const command = [process.execPath, '--no-env-file', join(import.meta.dir, 'call-once.ts'), url];
  const child = Bun.spawn(command, {
    env: { ...BARE_ENVIRONMENT, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  // Any other output makes the text invalid JSON.
  return { stdout: JSON.parse(stdout), stderr };
}
