/** Moves restored files into their places: all of them, even if the process ends in between and the restore is repeated. */
import { existsSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Journal, Move } from '../../service/drivers/cut-off-restore.ts';
import { syncFolder, writeWhole } from '../backup/files.ts';

type Rename = (from: string, to: string) => void;

/** From here on, this process or the next restore finishes it. */
export async function beginSwap(path: string, journal: Journal): Promise<void> {
  await writeWhole(path, JSON.stringify(journal));
}

/** May be repeated after any of its steps. */
export async function finishSwap(
  path: string,
  { moves }: Journal,
  rename: Rename = renameSync,
): Promise<void> {
  for (const move of moves) swap(move, rename);
  for (const folder of new Set(moves.map(({ place }) => dirname(place))))
    if (existsSync(folder)) await syncFolder(folder);
  await endSwap(path);
}

export async function endSwap(path: string): Promise<void> {
  await rm(path);
  await syncFolder(dirname(path));
}

function swap({ place, aside, fresh }: Move, rename: Rename): void {
  // If the new file is no longer beside its place, it has already been moved there.
  const isDone = fresh === undefined ? existsSync(aside) : !existsSync(fresh);
  if (isDone) return;
  if (existsSync(place)) rename(place, aside);
  if (fresh !== undefined) rename(fresh, place);
}
