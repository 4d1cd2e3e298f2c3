/** Puts the sample documents into an empty folder: all of them at once, and never beside what a person put there. */
import { chmod, mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DocumentFolder } from '../local/document-folder.ts';

const DOCUMENTS = join(import.meta.dir, 'documents');

/** The names of the sample documents, in order. */
export async function sampleDocuments(): Promise<string[]> {
  const names = await readdir(DOCUMENTS);
  return names.filter((name) => name.endsWith('.md')).toSorted();
}

/** Where a sample document lies. */
export function sampleDocument(name: string): string {
  return join(DOCUMENTS, name);
}

/** Into a folder that is none of the file system, if no document is there. Each is there whole. */
export async function seedSamples(folder: Pick<DocumentFolder, 'walk' | 'write'>): Promise<void> {
  if ((await folder.walk()).documents.size > 0) return;
  for (const name of await sampleDocuments())
    await folder.write(name, new Uint8Array(await readFile(sampleDocument(name))));
}

/**
 * True once the documents are there; false, with nothing changed, where the folder holds anything already. Throws where
 * the folder cannot be filled in one step: where it is a file, cannot be written, or is the root of a mounted volume.
 */
export async function installSamples(folder: string): Promise<boolean> {
  const place = await existing(folder);
  if (place && (await readdir(place)).length > 0) return false;
  const target = place ?? folder;
  await mkdir(dirname(target), { recursive: true });
  const unfinished = `${target}.${Bun.randomUUIDv7()}.tmp`;
  try {
    await write(unfinished);
    if (place) await chmod(unfinished, (await stat(place)).mode);
    return await moveInto(target, unfinished);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** The folder behind symbolic links; undefined if there is none yet. */
async function existing(folder: string): Promise<string | undefined> {
  try {
    return await realpath(folder);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function write(folder: string): Promise<void> {
  await mkdir(folder);
  for (const name of await sampleDocuments())
    await writeFile(join(folder, name), await readFile(sampleDocument(name)), { flush: true });
}

/** A folder takes the place of an empty one in one step, and of no other: what came meanwhile stays. */
async function moveInto(place: string, whole: string): Promise<boolean> {
  try {
    await rename(whole, place);
    return true;
  } catch (error) {
    if (isCode(error, 'ENOTEMPTY', 'EEXIST')) return false;
    throw error;
  }
}

function isCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
