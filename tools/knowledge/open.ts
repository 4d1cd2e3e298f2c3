/** The documents that workflows search: an index of the cloud where it is asked for, else the local folder. */
import { stat } from 'node:fs/promises';
import type { ErrorCode } from '../../state/errors.ts';
import { openCloudLibrary } from './cloud/open.ts';
import { openReader } from './documents/open-reader.ts';
import type { Embedder } from './embedding/embedder.ts';
import type { Library } from './library.ts';
import type { LibraryLog } from './local/log.ts';
import { type LocalLibrary, openLocalLibrary } from './local/open.ts';
import { type Observed, observed } from './observed.ts';
import type { CloudSearchOptions, KnowledgeBaseOptions } from './options.ts';

export type OpenLibrary = () => Library;

export interface KnowledgeBase {
  mode: 'local' | 'cloud';
  /** What it is, for people. */
  description: string;
  /** The same library each time, which does nothing before its first use. Throws CONFIGURATION_ERROR. */
  open: OpenLibrary;
  /** Follows the local folder from now on. Throws CONFIGURATION_ERROR where another process has its index. */
  start(): Promise<void>;
  /** Why the newest search failed; undefined where it did not. */
  failing(): ErrorCode | undefined;
  /** What is missing on disk, in a sentence that names no path. */
  missing(): Promise<string | undefined>;
  close(): Promise<void>;
}

export interface LocalParts {
  openEmbedder: () => Promise<Embedder>;
  /** The folder of the embedding model, if it is a local one. */
  embeddingFolder?: string | undefined;
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
  let opened: Observed | undefined;
  let local: LocalLibrary | undefined;

  function openLocal(): LocalLibrary {
    local ??= openFolder(options.knowledgeBase, options.local);
    return local;
  }

  return {
    mode: options.knowledgeBase.mode,
    description: isCloud ? 'cloud search (Azure AI Search, experimental)' : 'local vector store (LanceDB)',
    open() {
      opened ??= observed(isCloud ? openCloudLibrary(options.cloud) : openLocal());
      return opened.library;
    },
    async start() {
      if (!isCloud) openLocal().watch();
    },
    failing: () => opened?.failing(),
    async missing() {
      if (isCloud) return undefined;
      const { documents_path: documents } = options.knowledgeBase;
      const kind = await kindOf(documents);
      if (kind === 'file') return 'knowledge_base.documents_path: expected a folder';
      // Before the library is open, a missing folder is fine: opening creates it.
      if (kind === 'nothing' && local?.isOpen()) return noFolder('documents_path');
      const { embeddingFolder } = options.local;
      if (embeddingFolder === undefined || (await kindOf(embeddingFolder)) === 'folder') return undefined;
      return noFolder('embedding_folder');
    },
    close: async () => (local ?? opened?.library)?.close(),
  };
}

async function kindOf(path: string): Promise<'folder' | 'file' | 'nothing'> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return 'nothing';
  return found.isDirectory() ? 'folder' : 'file';
}

function noFolder(setting: string): string {
  return `knowledge_base.${setting}: there is no such folder. Create it or change the setting.`;
}

function openFolder(
  { documents_path, index_path }: KnowledgeBaseOptions,
  { openEmbedder, log, installSamples }: LocalParts,
): LocalLibrary {
  return openLocalLibrary({
    documentsPath: documents_path,
    indexPath: index_path,
    openEmbedder,
    reader: openReader(),
    log,
    // Without samples there are still the documents that people put there.
    prepare: async () =>
      installSamples?.(documents_path).catch((err) => {
        log.warn({ err }, 'the sample documents could not be installed');
      }),
  });
}
