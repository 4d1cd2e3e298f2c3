/** Opens the library of `documents_path` and `index_path`, each a folder or an address in an object store. */
import { localSweeps, type Sweeps } from '../../state/cluster/sweeps.ts';
import { openReader } from './documents/process/open-reader.ts';
import type { Embedder } from './embedding/embedder.ts';
import type { Library } from './library.ts';
import { type DocumentFolder, documentFolder } from './local/folder/document-folder.ts';
import type { LibraryLog } from './local/index/log.ts';
import { openLocalLibrary, openLocallyIndexed } from './local/open.ts';
import type { KnowledgeBaseOptions } from './options.ts';
import { seedSamples } from './sample/install.ts';
import { bucketFolder } from './shared/bucket-folder.ts';
import { openSharedLibrary } from './shared/open.ts';
import { storesOf } from './stores.ts';

/** A library that can follow its documents in the background. */
export interface FollowingLibrary extends Library {
  /**
   * Follows the documents from now on. Throws CONFIGURATION_ERROR if another process has the index open and it isn't shared.
   */
  watch(): void;
  /** Whether it has been used, and its folders existed at that time. */
  isOpen(): boolean;
}

export interface LocalParts {
  openEmbedder: () => Promise<Embedder>;
  /** The folder of a local embedding model. */
  embeddingFolder?: string | undefined;
  log: LibraryLog;
  /** Installs sample documents into an empty folder; undefined if there should be none. */
  installSamples?: ((folder: string) => Promise<unknown>) | undefined;
  /** The leases of servers that share an index; undefined for a single server. */
  leases?: { leases: Sweeps; seconds: number } | undefined;
}

// Used in place of the lease time if there is only one server.
const ALONE_SECONDS = 10;

/** Throws CONFIGURATION_ERROR if the documents and the index are inside each other. */
export function openStoredLibrary(settings: KnowledgeBaseOptions, parts: LocalParts): FollowingLibrary {
  const { documents_path: documentsPath, index_path: indexPath } = settings;
  const { openEmbedder, log, installSamples, leases } = parts;
  const { documents, index } = storesOf(settings);
  // A failure is only logged, because the library still has the user's documents.
  const seeded = (seeding: Promise<unknown> | undefined) =>
    seeding?.catch((err) => log.warn({ err }, 'the sample documents could not be installed'));
  const seedFolder = async () => seeded(installSamples?.(documentsPath));
  if (!documents && !index)
    return openLocalLibrary({
      ...{ documentsPath, indexPath, openEmbedder, reader: openReader(), log },
      prepare: seedFolder,
    });
  const folder: DocumentFolder = documents ? bucketFolder(documents) : documentFolder(documentsPath);
  const seedStore = async () => seeded(installSamples && seedSamples(folder));
  const prepare = documents ? seedStore : seedFolder;
  const common = { folder, openEmbedder, log, prepare };
  if (!index) return openLocallyIndexed({ ...common, indexPath, reader: openReader() });
  const { leases: sweeps, seconds } = leases ?? { leases: localSweeps, seconds: ALONE_SECONDS };
  return openSharedLibrary({ ...common, index, openReader, leases: sweeps, leaseMs: seconds * 1000 });
}
