/** The documents that workflows search: an index of the cloud where it is asked for, else the local folder. */
import { openCloudLibrary } from './cloud/open.ts';
import { openReader } from './documents/open-reader.ts';
import type { Embedder } from './embedding/embedder.ts';
import type { Library } from './library.ts';
import type { LibraryLog } from './local/log.ts';
import { type LocalLibrary, openLocalLibrary } from './local/open.ts';
import type { CloudSearchOptions, KnowledgeBaseOptions } from './options.ts';

export type OpenLibrary = () => Library;

export interface KnowledgeBase {
  /** What it is, for people. */
  description: string;
  /** The same library each time, which does nothing before its first use. Throws CONFIGURATION_ERROR. */
  open: OpenLibrary;
  /** Follows the local folder from now on. Throws CONFIGURATION_ERROR where another process has its index. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface LocalParts {
  embedder: Embedder;
  log: LibraryLog;
  /** Puts sample documents into an empty folder; absent where none are wanted. */
  installSamples?: ((folder: string) => Promise<unknown>) | undefined;
}

/** Never falls back to the local folder where a search service is configured. */
export function openKnowledgeBase(options: {
  knowledgeBase: KnowledgeBaseOptions;
  cloud: CloudSearchOptions | undefined;
  local: LocalParts;
}): KnowledgeBase {
  const isCloud = options.knowledgeBase.mode === 'cloud';
  let cloud: Library | undefined;
  let local: LocalLibrary | undefined;

  function openLocal(): LocalLibrary {
    local ??= openFolder(options.knowledgeBase, options.local);
    return local;
  }

  return {
    description: isCloud ? 'cloud search (Azure AI Search, experimental)' : 'local vector store (LanceDB)',
    open() {
      if (!isCloud) return openLocal();
      cloud ??= openCloudLibrary(options.cloud);
      return cloud;
    },
    async start() {
      if (!isCloud) openLocal().watch();
    },
    async close() {
      await cloud?.close();
      await local?.close();
    },
  };
}

function openFolder(
  { documents_path, index_path }: KnowledgeBaseOptions,
  { embedder, log, installSamples }: LocalParts,
): LocalLibrary {
  return openLocalLibrary({
    documentsPath: documents_path,
    indexPath: index_path,
    embedder,
    reader: openReader(),
    log,
    // Without samples there are still the documents that people put there.
    prepare: async () =>
      installSamples?.(documents_path).catch((err) => {
        log.warn({ err }, 'the sample documents could not be installed');
      }),
  });
}
