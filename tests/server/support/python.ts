/** A Python environment with packages from the index, cached for later runs. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BARE_ENVIRONMENT } from '../../support/bare-environment.ts';
import { reportMissing } from '../../support/missing.ts';

const CACHE = join(import.meta.dir, '../../../node_modules/.cache/skein');

/** Returns the interpreter. Returns undefined and prints why if Python is missing or the index doesn't respond. */
export async function pythonWith(packages: string[]): Promise<string | undefined> {
  if (!Bun.which('python3')) {
    reportMissing('Python', 'apt-get install -y python3-venv');
    return undefined;
  }
  const folder = join(CACHE, `python-${Bun.hash(packages.join()).toString(36)}`);
  const program = join('bin', 'python');
  if (existsSync(folder)) return join(folder, program);
  // The first complete installation gets the final name.
  const made = `${folder}-${process.pid}`;
  mkdirSync(CACHE, { recursive: true });
  const steps = [
    ['python3', '-m', 'venv', made],
    [join(made, program), '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages],
  ];
  for (const step of steps) {
    const { code, text } = await run(step);
    if (code === 0) continue;
    rmSync(made, { recursive: true, force: true });
    console.log(`SKIPPED: ${packages.join(', ')} for Python cannot be installed: ${text.slice(-500)}`);
    return undefined;
  }
  if (existsSync(folder)) rmSync(made, { recursive: true });
  else renameSync(made, folder);
  return join(folder, program);
}

/** Returns the exit code and the output. */
export async function run(command: string[], cwd?: string): Promise<{ code: number; text: string }> {
  // The machine's own settings determine pip's index.
  const env = { ...process.env, ...BARE_ENVIRONMENT };
  const child = Bun.spawn(command, { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [out, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, text: out + errors };
}
