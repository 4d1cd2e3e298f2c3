/** `skein backup`: state, prompt files, documents, datasets and the local SQL database in one folder, while the service runs. */
import { mkdir, readdir } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import packageJson from '../../../package.json';
import { parseFlags } from '../../../settings/flags.ts';
import { loadSettings } from '../../../settings/load.ts';
import { configurationError } from '../../../state/errors.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { printable } from '../../terminal/plain-errors.ts';
import { print } from '../../terminal/print.ts';
import { type DataPaths, dataPathsOf } from './data-paths.ts';
import { removeAll, syncFolders } from './files.ts';
import { type Part, type SavedFile, writeManifest } from './manifest.ts';
import { saveDatabase, saveFolder, saveState } from './save.ts';

const USAGE = 'skein backup FOLDER [settings]';

/** Returns the exit code. Throws CONFIGURATION_ERROR, or the error of an unreadable part; then the folder stays empty. */
export async function backupCommand(argv: string[]): Promise<number> {
  const { words, rest } = takeFlags(argv, []);
  const [named, ...more] = words;
  if (!named || more.length > 0) throw configurationError('arguments', `expected ${USAGE}`);
  const { settings } = loadSettings({ cwd: process.cwd(), env: process.env, flags: parseFlags(rest) });
  const places = dataPathsOf(settings);
  const folder = resolve(named);
  assertOutside(folder, places);
  await emptyFolder(folder);
  const created_at = new Date().toISOString();
  try {
    const { version, parts } = await saveAll(places, folder);
    await syncFolders(folder);
    const files = [...parts.values()].flat();
    const held = { schema_version: version, parts: [...parts.keys()], files };
    await writeManifest(folder, { service_version: packageJson.version, created_at, ...held });
    report(folder, { parts, elsewhere: places.elsewhere, version });
    return 0;
  } catch (error) {
    await Promise.all((await readdir(folder)).map((name) => removeAll(resolve(folder, name))));
    throw error;
  }
}

/** The state is saved first: it contains every turn that was acknowledged before the backup. */
async function saveAll({ state, prompts, documents, datasets, database }: DataPaths, folder: string) {
  const parts = new Map<Part, SavedFile[]>();
  const { version, file } = await saveState(state, folder);
  parts.set('state', [file]);
  const skipped = (part: Part) => (path: string) =>
    print(printable(`left out: ${part}/${path}: it is not a regular file`));
  for (const [part, path] of Object.entries({ prompts, documents, datasets }) as [
    Part,
    string | undefined,
  ][]) {
    const saved = path && (await saveFolder(path, { part, folder, skipped: skipped(part) }));
    if (saved) parts.set(part, saved);
  }
  const saved = database && (await saveDatabase(database, folder));
  if (saved) parts.set('database', saved);
  return { version, parts };
}

async function emptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0)
    throw configurationError('arguments', 'the backup folder is not empty; choose an empty or new one');
}

function assertOutside(folder: string, { prompts, documents, datasets }: DataPaths): void {
  for (const path of [prompts, documents, datasets])
    if (path !== undefined && `${folder}${sep}`.startsWith(`${resolve(path)}${sep}`))
      throw configurationError(
        'arguments',
        'the backup folder is inside a folder that is to be saved; choose another',
      );
}

interface Report {
  parts: Map<Part, SavedFile[]>;
  elsewhere: string[];
  version: number;
}

function report(folder: string, { parts, elsewhere, version }: Report): void {
  for (const [part, files] of parts) print(`${part.padEnd(WIDTH)}  ${sizeOf(files)}`);
  for (const sentence of elsewhere) print(`left out: ${sentence}`);
  print(printable(`Saved to ${folder}: ${sizeOf([...parts.values()].flat())}, schema version ${version}`));
}

const WIDTH = 'documents'.length;

function sizeOf(files: readonly SavedFile[]): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return `${files.length} ${files.length === 1 ? 'file' : 'files'}, ${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
