/** Opens the library of a local folder, with its LanceDB index in another folder. */
import { mkdir } from 'node:fs/promises';
import { configurationError } from '../../../state/errors.ts';
import { type DocumentFolder, documentFolder } from './folder/document-folder.ts';
import { libraryPaths } from './folder/library-paths.ts';
import { type Lock, takeLock } from './index/lock.ts';
import { newIndex, openIndex } from './index/open-index.ts';
import {
  type IndexedLibrary,
  type IndexedLibraryOptions,
  type IndexStorage,
  openIndexedLibrary,
} from './indexed-library.ts';

export type LocalLibrary = IndexedLibrary;

export interface LocalLibraryOptions extends Omit<IndexedLibraryOptions, 'folder' | 'index'> {
  documentsPath: string;
  indexPath: string;
}

/** Only checks the folders before its first use. Throws CONFIGURATION_ERROR. */
export function openLocalLibrary({
  documentsPath,
  indexPath,
  ...options
}: LocalLibraryOptions): LocalLibrary {
  const { documents, index } = libraryPaths({ documents: documentsPath, index: indexPath });
  return openIndexedLibrary({
    ...options,
    folder: documentFolder(documents),
    index: localIndex(index),
    async prepare() {
      await options.prepare?.();
      await mkdir(documents, { recursive: true });
    },
  });
}

/** A library of documents in an object store, with an index in a folder of this process. */
export function openLocallyIndexed(
  options: Omit<IndexedLibraryOptions, 'index'> & { folder: DocumentFolder; indexPath: string },
): LocalLibrary {
  return openIndexedLibrary({ ...options, index: localIndex(options.indexPath) });
}

function localIndex(folder: string): IndexStorage {
  let lock: Lock | undefined;
  return {
    missing: 'the index is missing and is being rebuilt',
    hold() {
      lock ??= takeLock(folder);
      if (!lock)
        throw configurationError(
          'knowledge_base.index_path',
          'another process has this index open; stop it, or set another folder for this one',
        );
    },
    open: (made) => openIndex({ folder, ...made }),
    renew: (made) => newIndex({ folder, ...made }),
    release: () => lock?.release(),
  };
}
