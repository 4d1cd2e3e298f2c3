/** Copies the parts of a backup beside their places, where nothing reads them yet. */
import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SkeinError } from '../../../state/errors.ts';
import { walPath } from '../../../tools/sql/sample/database-path.ts';
import type { Move } from '../../service/drivers/cut-off-restore.ts';
import type { DataPaths } from '../backup/data-paths.ts';
import { copyFile, removeAll, syncFolder, syncFolders } from '../backup/files.ts';
import { damaged, type Manifest, type Part, type SavedFile } from '../backup/manifest.ts';
import { DATABASE_FILE, STATE_FILE } from '../backup/save.ts';

export interface Staging {
  /** The backup's folder. */
  folder: string;
  manifest: Manifest;
  places: DataPaths;
  /** The suffix for the previous content. */
  stamp: string;
}

/** The target of a file or folder of the backup. Without `files`, the current content is only moved aside. */
interface Target {
  place: string;
  /** The name for the current content. */
  aside: string;
  files?: readonly (SavedFile & { inside: string })[];
}

/** Returns the moves to make when everything is staged. If a digest is wrong, throws and removes the staged files. */
export async function staged(staging: Staging): Promise<Move[]> {
  const targets = targetsOf(staging);
  for (const { place } of targets) assertMovable(place);
  try {
    for (const target of targets) await stage(target, staging.folder);
  } catch (error) {
    await unstage(targets.map(moveOf));
    throw error;
  }
  return targets.map(moveOf);
}

/** Also removes what an earlier restore left. */
export async function unstage(moves: readonly Move[]): Promise<void> {
  await Promise.all(moves.flatMap(({ fresh }) => (fresh === undefined ? [] : [removeAll(fresh)])));
}

function moveOf({ place, aside, files }: Target): Move {
  return { place, aside, fresh: files && freshOf(place) };
}

const freshOf = (place: string) => `${place}.restoring`;

/** Logs first: a log must never be beside a file that it does not belong to. */
function targetsOf({ manifest, places, stamp }: Staging): Target[] {
  const filesOf = (part: Part, below: string) =>
    manifest.files
      .filter((file) => file.part === part && (file.path === below || file.path.startsWith(`${below}/`)))
      .map((file) => ({ ...file, inside: file.path.slice(below.length + 1) }));
  const aside = (place: string) => `${place}.before-restore-${stamp}`;
  const has = (part: Part) => manifest.parts.includes(part);
  const { state, prompts, documents, datasets, database } = places;
  const targets: Target[] = [];
  if (has('state') && state.isFile) {
    for (const log of ['-wal', '-shm'])
      targets.push({ place: `${state.location}${log}`, aside: `${aside(state.location)}${log}` });
    targets.push({
      place: state.location,
      aside: aside(state.location),
      files: filesOf('state', STATE_FILE),
    });
  }
  if (has('database') && database) {
    const log = filesOf('database', `${DATABASE_FILE}.wal`);
    const files = log.length > 0 ? { files: log } : {};
    targets.push({ place: walPath(database), aside: `${aside(database)}.wal`, ...files });
    targets.push({ place: database, aside: aside(database), files: filesOf('database', DATABASE_FILE) });
  }
  for (const [part, place] of [
    ['prompts', prompts],
    ['documents', documents],
    ['datasets', datasets],
  ] as const)
    if (has(part) && place) targets.push({ place, aside: aside(place), files: filesOf(part, part) });
  return targets;
}

async function stage({ place, files }: Target, folder: string): Promise<void> {
  if (!files) return;
  const fresh = freshOf(place);
  await removeAll(fresh);
  await mkdir(dirname(place), { recursive: true });
  const isFolder = files.every(({ inside }) => inside !== '');
  if (isFolder) await mkdir(fresh);
  for (const { path, inside, sha256 } of files) {
    const copied = await copyFile(join(folder, path), inside === '' ? fresh : join(fresh, inside));
    if (copied.sha256 !== sha256) throw damaged(folder, `${path} is damaged`);
  }
  await (isFolder ? syncFolders(fresh) : syncFolder(dirname(fresh)));
}

/** A mounted folder cannot be renamed. */
function assertMovable(place: string): void {
  if (!existsSync(place) || statSync(place).dev === statSync(dirname(place)).dev) return;
  const message = `${place} cannot be replaced, and nothing was changed: it is a mounted file system. Mount the folder above it instead, or change the setting.`;
  throw new SkeinError('INTERNAL_ERROR', { message });
}
