/** Checks the folders of documents and index: an index inside the watched folder would be indexed itself. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { configurationError } from '../../../../state/errors.ts';

export interface Places {
  documents: string;
  index: string;
}

/** Both absolute, links resolved as far as they exist. Throws CONFIGURATION_ERROR if one contains the other. */
export function libraryPlaces(given: Places): Places {
  const documents = realPlace(resolve(given.documents));
  const index = realPlace(resolve(given.index));
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

function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPlace(above), basename(path));
  }
}
