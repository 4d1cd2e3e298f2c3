/** The folder of the datasets, opened for one piece of work; what it cannot do is said by the name of its setting. */
import { mkdir } from 'node:fs/promises';
import { type Folder, openFolder, storageReason } from '../../prompts/local/folder.ts';
import { withinMade } from '../../prompts/local/revision.ts';
import { configurationError, SkeinError, storageFull } from '../../state/errors.ts';

/** Undefined where there is no folder yet. */
export function inFolder<T>(path: string, work: (root: Folder) => Promise<T>): Promise<T | undefined> {
  return named(async () => {
    const root = await openFolder(path);
    return root && work(root).finally(() => root.close());
  });
}

/** The folder and those below it are made where they are missing. */
export function inCreatedFolder<T>(
  path: string,
  below: string[],
  work: (folder: Folder) => Promise<T>,
): Promise<T> {
  return named(async () => {
    await mkdir(path, { recursive: true });
    const root = await openFolder(path);
    if (!root) throw new Error('something that is not a folder has its name');
    return withinMade(root, below, work).finally(() => root.close());
  });
}

async function named<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SkeinError) throw error;
    throw storageFull(error) ?? unusable(error);
  }
}

/** Throws on what is not of the file system. */
function unusable(error: unknown): SkeinError {
  return configurationError('datasets.path', `the folder cannot be used: ${storageReason(error)}`);
}
