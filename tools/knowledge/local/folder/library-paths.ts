/** Checks the folders of documents and index, because an index inside the watched folder would be indexed itself. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { configurationError } from '../../../../state/errors.ts';

export interface LibraryPaths {
  documents: string;
  index: string;
}

/**
 * Returns both as absolute paths, with links resolved as far as they exist. Throws CONFIGURATION_ERROR if one contains the
 * other.
 */
export function libraryPaths(given: LibraryPaths): LibraryPaths {
  const documents = resolveLinks(resolve(given.documents));
  const index = resolveLinks(resolve(given.index));
  if (isWithin(index, documents))
    throw configurationError(
      'knowledge_base.index_path',
      'must be outside knowledge_base.documents_path, which is watched',
    );
  if (isWithin(documents, index))
    throw configurationError(
      'knowledge_base.documents_path',
      'must be outside knowledge_base.index_path, which may be deleted',
    );
  return { documents, index };
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(resolveLinks(above), basename(path));
  }
}
