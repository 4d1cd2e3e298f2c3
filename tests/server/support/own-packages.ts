/** npm packages that are too large or unusual for this checkout, installed from a lock file next to the test. */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './python.ts';

const CACHE = join(import.meta.dir, '../../../node_modules/.cache/skein');

/** Returns the `node_modules` of the folder's lock file, cached for later runs. Returns undefined and prints why if npm fails. */
export async function ownPackages(folder: string): Promise<string | undefined> {
  const lock = readFileSync(join(folder, 'bun.lock'));
  const cached = join(CACHE, `packages-${Bun.hash(lock).toString(36)}`);
  if (existsSync(cached)) return join(cached, 'node_modules');
  // The first complete installation gets the final name.
  const made = `${cached}-${process.pid}`;
  mkdirSync(made, { recursive: true });
  for (const name of ['package.json', 'bun.lock']) cpSync(join(folder, name), join(made, name));
  const install = ['install', '--frozen-lockfile', '--ignore-scripts', '--cwd', made];
  const { code, text } = await run([process.execPath, ...install]);
  if (code !== 0) {
    rmSync(made, { recursive: true, force: true });
    console.log(`SKIPPED: the packages of ${folder} cannot be installed: ${text.slice(-500)}`);
    return undefined;
  }
  if (existsSync(cached)) rmSync(made, { recursive: true });
  else renameSync(made, cached);
  return join(cached, 'node_modules');
}
