/** Opens the datasets' folder for one operation. Its errors name the setting `datasets.path`. */
import { mkdir } from 'node:fs/promises';
import { type Folder, openFolder, storageReason } from '../../prompts/local/folder.ts';
import { withinMade } from '../../prompts/local/revision.ts';
import { asStorageFull, configurationError, SkeinError } from '../../state/errors.ts';

/** Undefined if the folder doesn't exist. */
export function inFolder<T>(path: string, work: (root: Folder) => Promise<T>): Promise<T | undefined> {
  return named(async () => {
    const root = await openFolder(path);
    return root && work(root).finally(() => root.close());
  });
}

/** Creates the folder and the folders `below` it if they are missing. */
export function inCreatedFolder<T>(
  path: string,
  below: string[],
  work: (folder: Folder) => Promise<T>,
): Promise<T> {
  return named(async () => {
    await mkdir(path, { recursive: true });
    const root = await openFolder(path);
    if (!root) throw new Error('it exists and is not a folder');
    return withinMade(root, below, work).finally(() => root.close());
  });
}

async function named<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SkeinError) throw error;
    throw asStorageFull(error) ?? unusable(error);
  }
}

/** Rethrows errors that are not from the file system. */
function unusable(error: unknown): SkeinError {
  return configurationError('datasets.path', `the folder cannot be used: ${storageReason(error)}`);
}
