/** Where a new project installs skein from: the source of the running one. */
import { readFileSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve, sep } from 'node:path';
import skein from '../../../package.json';
import { shipFiles } from '../../../server/studio/built-files.ts';
import { SkeinError } from '../../../state/errors.ts';

export interface SkeinSource {
  /** The entry for `dependencies`. */
  dependency: string;
  /** The package, for the project's `vendor` folder, if no registry has it. */
  archive?: { name: string; content: Uint8Array };
}

const ROOT = join(import.meta.dir, '../../..');

/** A registry version stays that version, a package file stays that file, and a checkout is packed. */
export async function skeinSource(): Promise<SkeinSource> {
  const installed = installation(ROOT);
  if (installed === undefined) return ROOT.split(sep).includes('node_modules') ? released() : packed();
  const { project, dependency } = installed;
  const path = localPath(dependency);
  // Any other source, such as a git repository, works there too.
  if (path === undefined) return /[:/]/.test(dependency) ? { dependency } : released();
  const archive = resolve(project, path);
  // The installed copy replaces a folder, or a file that no longer exists.
  if (!statSync(archive, { throwIfNoEntry: false })?.isFile()) return packed();
  return vendored(basename(archive), await readFile(archive));
}

function released(): SkeinSource {
  return { dependency: skein.version };
}

function vendored(file: string, content: Uint8Array): SkeinSource {
  return { dependency: `file:./vendor/${file}`, archive: { name: `vendor/${file}`, content } };
}

interface Installation {
  project: string;
  dependency: string;
}

/** The project that the package in `root` is installed for; an installer may add its own folders in between. */
function installation(root: string): Installation | undefined {
  const parts = root.split(sep);
  for (let at = parts.lastIndexOf('node_modules'); at > 0; at = parts.lastIndexOf('node_modules', at - 1)) {
    const project = parts.slice(0, at).join(sep);
    const dependency = dependencyIn(join(project, 'package.json'));
    if (dependency !== undefined) return { project, dependency };
  }
  return undefined;
}

/** The version of skein that a package.json asks for; undefined if it can't be read or doesn't name skein. */
export function dependencyIn(path: string): string | undefined {
  try {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(path, 'utf8'));
    const dependency: unknown = dependencies?.[skein.name] ?? devDependencies?.[skein.name];
    return typeof dependency === 'string' ? dependency : undefined;
  } catch {
    return undefined;
  }
}

/** For `file:./skein.tgz` and `./skein.tgz`. */
function localPath(dependency: string): string | undefined {
  if (dependency.startsWith('file:')) return dependency.slice('file:'.length);
  return /^(\.{0,2}\/|[a-z]:\\)/i.test(dependency) ? dependency : undefined;
}

async function packed(): Promise<SkeinSource> {
  // The script "prepack" needs `bun` on the PATH, so do its work here.
  await shipFiles();
  const folder = await mkdtemp(join(tmpdir(), 'skein-pack-'));
  try {
    const command = [process.execPath, 'pm', 'pack', '--quiet', '--ignore-scripts', '--destination', folder];
    const child = Bun.spawn(command, { cwd: ROOT, stdout: 'ignore', stderr: 'pipe' });
    if ((await child.exited) !== 0) {
      const reason = (await child.stderr.text()).trim().split('\n').at(-1);
      throw new SkeinError('INTERNAL_ERROR', { message: `The package could not be created: ${reason}` });
    }
    const file = `${skein.name}-${skein.version}.tgz`;
    return vendored(file, await readFile(join(folder, file)));
  } finally {
    await rm(folder, { recursive: true });
  }
}
