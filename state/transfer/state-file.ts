/** A state file at its place: whose it is, and that nobody serves from it. */
import { configurationError } from '../errors.ts';
import { isForeignFile, stateFileRefusal } from '../sqlite/file/identity.ts';
import { takeLock } from '../sqlite/open.ts';

/** Why the service cannot use the file; undefined where it can, or makes it. Throws for damage. */
export const fileRefusal = (path: string): string | undefined => stateFileRefusal(path);

/**
 * Holds the file, which may be damaged or not there, until what it gives is called. Throws CONFIGURATION_ERROR for one of
 * another program, and while a process serves from it.
 */
export function holdFile(path: string, name: string): () => void {
  if (isForeignFile(path))
    throw configurationError(name, 'the file is a database of another program, and is unchanged');
  const lock = takeLock(path, name);
  return () => lock.close();
}
