/** Installs the sample documents into an empty folder: all of them or none, and never next to the user's files. */
import { chmod, mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DocumentFolder } from '../local/folder/document-folder.ts';

const DOCUMENTS = join(import.meta.dir, 'documents');

/** The names of the sample documents, in order. */
export async function sampleDocuments(): Promise<string[]> {
  const names = await readdir(DOCUMENTS);
  return names.filter((name) => name.endsWith('.md')).toSorted();
}

/** The path of a sample document. */
export function sampleDocument(name: string): string {
  return join(DOCUMENTS, name);
}

/** Writes the sample documents to an object store if it has no documents. Each document appears atomically. */
export async function seedSamples(folder: Pick<DocumentFolder, 'walk' | 'write'>): Promise<void> {
  if ((await folder.walk()).documents.size > 0) return;
  for (const name of await sampleDocuments())
    await folder.write(name, new Uint8Array(await readFile(sampleDocument(name))));
}

/**
 * Returns true when the documents exist; false, and changes nothing, if the folder isn't empty. Throws if the folder cannot be
 * filled in one step: if it is a file, cannot be written, or is the root of a mounted volume.
 */
export async function installSamples(folder: string): Promise<boolean> {
  const found = await existing(folder);
  if (found && (await readdir(found)).length > 0) return false;
  const target = found ?? folder;
  await mkdir(dirname(target), { recursive: true });
  const unfinished = `${target}.${Bun.randomUUIDv7()}.tmp`;
  try {
    await write(unfinished);
    if (found) await chmod(unfinished, (await stat(found)).mode);
    return await moveInto(target, unfinished);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** The target of symbolic links; undefined if the folder doesn't exist. */
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

/**
 * Uses a rename, which replaces an empty folder atomically and fails for any other, so files that have appeared in the meantime
 * are kept.
 */
async function moveInto(target: string, whole: string): Promise<boolean> {
  try {
    await rename(whole, target);
    return true;
  } catch (error) {
    if (isCode(error, 'ENOTEMPTY', 'EEXIST')) return false;
    throw error;
  }
}

function isCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
