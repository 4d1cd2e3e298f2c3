/** Checks and locks a state file. */
import { configurationError } from '../errors.ts';
import { isForeignFile, stateFileRefusal } from '../sqlite/file/identity.ts';
import { takeLock } from '../sqlite/open.ts';

/** Why the service cannot use the file; undefined if it can, or if the file does not exist. Throws if it is damaged. */
export const fileRefusal = (path: string): string | undefined => stateFileRefusal(path);

/**
 * Locks the file, which may be damaged or missing, until the returned function is called. Throws CONFIGURATION_ERROR if the
 * file belongs to another program or a process is using it.
 */
export function holdFile(path: string, name: string): () => void {
  if (isForeignFile(path))
    throw configurationError(name, 'the file is a database of another program. It was not changed');
  const lock = takeLock(path, name);
  return () => lock.close();
}
