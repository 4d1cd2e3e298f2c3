/** Python with packages from its index, in an environment that later runs of the tests use again. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BARE_ENVIRONMENT } from '../../support/bare-environment.ts';
import { reportMissing } from '../../support/missing.ts';

const CACHE = join(import.meta.dir, '../../../node_modules/.cache/skein');

/** The interpreter; undefined, and a line that says why, where there is no Python or its index does not answer. */
export async function pythonWith(packages: string[]): Promise<string | undefined> {
  if (!Bun.which('python3')) {
    reportMissing('Python', 'apt-get install -y python3-venv');
    return undefined;
  }
  const folder = join(CACHE, `python-${Bun.hash(packages.join()).toString(36)}`);
  const program = join('bin', 'python');
  if (existsSync(folder)) return join(folder, program);
  // Whoever is first with the whole of it has it under its name.
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

/** Its exit code, and what it printed. */
export async function run(command: string[], cwd?: string): Promise<{ code: number; text: string }> {
  // Where pip finds its index is a matter of the machine.
  const env = { ...process.env, ...BARE_ENVIRONMENT };
  const child = Bun.spawn(command, { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [out, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, text: out + errors };
}
