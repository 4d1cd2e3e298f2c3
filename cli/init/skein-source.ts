/** Where a new project gets skein from: the registry, or, from a checkout, a package made of it. */
import { mkdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import skein from '../../package.json';
import { SkeinError } from '../../state/errors.ts';

const ROOT = join(import.meta.dir, '..', '..');

/** Gives what `dependencies` says: a version, or `file:` and the package that was put into the project's `vendor`. */
export async function skeinSource(folder: string): Promise<string> {
  if (ROOT.split(sep).includes('node_modules')) return skein.version;
  const vendor = join(folder, 'vendor');
  await mkdir(vendor, { recursive: true });
  const command = [process.execPath, 'pm', 'pack', '--quiet', '--ignore-scripts', '--destination', vendor];
  const child = Bun.spawn(command, { cwd: ROOT, stdout: 'ignore', stderr: 'pipe' });
  if ((await child.exited) !== 0) {
    const reason = (await child.stderr.text()).trim().split('\n').at(-1);
    throw new SkeinError('INTERNAL_ERROR', {
      message: `The package of this checkout could not be made: ${reason}`,
    });
  }
  return `file:./vendor/${skein.name}-${skein.version}.tgz`;
}
