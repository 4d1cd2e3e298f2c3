/** The knowledge base for a command: opened here if no service has it open, otherwise limited to what works beside that service. */

import type { LoadedSettings } from '../../../settings/load.ts';
import { localSweeps } from '../../../state/cluster/sweeps.ts';
import { openReader } from '../../../tools/knowledge/documents/process/open-reader.ts';
import type { Document } from '../../../tools/knowledge/library.ts';
import {
  type DocumentFolder,
  documentFolder,
} from '../../../tools/knowledge/local/folder/document-folder.ts';
import { libraryPaths } from '../../../tools/knowledge/local/folder/library-paths.ts';
import { takeLock } from '../../../tools/knowledge/local/index/lock.ts';
import type { LibraryLog } from '../../../tools/knowledge/local/index/log.ts';
import {
  type LocalLibrary,
  openLocalLibrary,
  openLocallyIndexed,
} from '../../../tools/knowledge/local/open.ts';
import {
  type IndexReader,
  openIndexReader,
  readDocuments,
} from '../../../tools/knowledge/local/read-only.ts';
import { seedSamples } from '../../../tools/knowledge/sample/install.ts';
import { bucketFolder } from '../../../tools/knowledge/shared/bucket-folder.ts';
import { openSharedLibrary } from '../../../tools/knowledge/shared/open.ts';
import { removeIndex } from '../../../tools/knowledge/shared/shared-index.ts';
import type { StoreLocation } from '../../../tools/knowledge/storage/open-store.ts';
import { storesOf } from '../../../tools/knowledge/stores.ts';
import { openEmbedder, wantedSamples } from '../../service/drivers/knowledge-base.ts';
import { printable } from '../../terminal/plain-errors.ts';
import { progressBar } from '../../terminal/progress-bar.ts';

/** The remaining arguments. */
export interface KnowledgeArguments {
  words: readonly string[];
  own: ReadonlyMap<string, string>;
}

export interface Base {
  documentsPath: string;
  indexPath: string;
  folder: DocumentFolder;
  /** Undefined while a service has the index open. */
  own: LocalLibrary | undefined;
  /** To search what that service has indexed so far. */
  read(): Promise<IndexReader | undefined>;
  /** All documents in the folder, with their state. */
  documents(): Promise<Document[]>;
  /** Opens the index here after the process that had it open has ended. */
  takeOver(): LocalLibrary | undefined;
  /** Makes services rebuild an index that they share; absent for an index in a folder. */
  begin?(): Promise<void>;
  close(): Promise<void>;
}

export async function openBase(loaded: LoadedSettings): Promise<Base> {
  const { knowledge_base: settings } = loaded.settings;
  const { documents_path: documentsPath, index_path: indexPath } = settings;
  const { documents, index } = storesOf(settings);
  const bar = progressBar(process.stderr);
  const log = { info: say, warn: say };

  /** Print above the progress bar, which is then redrawn. */
  function say({ document, file, reason }: Said, message: string): void {
    // Unreadable documents are listed with the reason.
    if (reason !== undefined) return;
    const about = document ?? file;
    bar.clear();
    console.error(printable(about === undefined ? message : `${about}: ${message}`));
  }

  const base = { documentsPath, indexPath };
  if (index) {
    const folder = documents ? bucketFolder(documents) : documentFolder(documentsPath);
    return { ...base, folder, own: undefined, ...sharedIndex(loaded, { folder, index, log }) };
  }
  const places = documents
    ? { documents: documentsPath, index: indexPath }
    : libraryPaths({ documents: documentsPath, index: indexPath });
  const folder = documents ? bucketFolder(documents) : documentFolder(places.documents);
  const own = isFree(places.index) ? opened() : undefined;
  let later: LocalLibrary | undefined;
  let reader: Promise<IndexReader | undefined> | undefined;

  async function documentsOf(): Promise<Document[]> {
    if (!own) return readDocuments({ folder, index: places.index, embedder: await openEmbedder(loaded) });
    await own.scan();
    return own.documents();
  }

  function opened(): LocalLibrary {
    const samples = wantedSamples(loaded);
    const parts = {
      indexPath: places.index,
      openEmbedder: () => openEmbedder(loaded),
      reader: openReader(),
      log,
      onProgress: bar.show,
    };
    if (documents)
      return openLocallyIndexed({ ...parts, folder, prepare: async () => samples && seedSamples(folder) });
    return openLocalLibrary({
      ...parts,
      documentsPath: places.documents,
      prepare: async () => samples?.(places.documents),
    });
  }

  return {
    ...base,
    folder,
    own,
    read() {
      reader ??= openEmbedder(loaded).then((embedder) => openIndexReader(places.index, embedder));
      return reader;
    },
    documents: documentsOf,
    takeOver() {
      if (!own && !later && isFree(places.index)) later = opened();
      return later;
    },
    async close() {
      bar.clear();
      await own?.close();
      await later?.close();
      await (await reader)?.close();
    },
  };
}

interface Said {
  document?: unknown;
  file?: unknown;
  reason?: unknown;
}

interface SharedParts {
  folder: DocumentFolder;
  index: StoreLocation;
  log: LibraryLog;
}

/** Services write the index under their lease: a command can only search it or request a rebuild. */
function sharedIndex(
  loaded: LoadedSettings,
  parts: SharedParts,
): Pick<Base, 'read' | 'documents' | 'takeOver' | 'close' | 'begin'> {
  const library = openSharedLibrary({
    ...parts,
    leases: localSweeps,
    leaseMs: 0,
    openEmbedder: () => openEmbedder(loaded),
    openReader,
  });
  return {
    read: async () => library,
    documents: library.documents,
    takeOver: () => undefined,
    begin: async () => removeIndex(parts.index, await openEmbedder(loaded)),
    close: () => library.close(),
  };
}

function isFree(index: string): boolean {
  const lock = takeLock(index);
  lock?.release();
  return lock !== undefined;
}
