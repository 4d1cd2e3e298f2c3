/**
 * Opens the documents that workflows search: a cloud index if one is configured, otherwise the folder or the object store of
 * the settings.
 */
import { stat } from 'node:fs/promises';
import type { ErrorCode } from '../../state/errors.ts';
import { openCloudLibrary } from './cloud/open.ts';
import type { OpenLibrary } from './library.ts';
import { type Observed, observed } from './observed.ts';
import { type FollowingLibrary, type LocalParts, openStoredLibrary } from './open-stored-library.ts';
import type { CloudSearchOptions, KnowledgeBaseOptions } from './options.ts';
import { isAddress } from './storage/address.ts';
import { assertStores } from './stores.ts';

export interface KnowledgeBase {
  mode: 'local' | 'cloud';
  /** A description for display. */
  description: string;
  /** Returns the same library each time. The library does nothing before its first use. Throws CONFIGURATION_ERROR. */
  open: OpenLibrary;
  /**
   * Follows the documents from now on, unless they are in a cloud index. Throws CONFIGURATION_ERROR if another process has the
   * index open.
   */
  start(): Promise<void>;
  /** Why the latest search failed; undefined if it succeeded. */
  failing(): ErrorCode | undefined;
  /** What is missing on disk, in a sentence without paths. */
  missing(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Never uses the local folder if a search service is configured. */
export function openKnowledgeBase(options: {
  knowledgeBase: KnowledgeBaseOptions;
  cloud: CloudSearchOptions | undefined;
  local: LocalParts;
}): KnowledgeBase {
  const isCloud = options.knowledgeBase.mode === 'cloud';
  let opened: Observed | undefined;
  let local: FollowingLibrary | undefined;

  function openLocal(): FollowingLibrary {
    local ??= openStoredLibrary(options.knowledgeBase, options.local);
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
      if (isCloud) return;
      await assertStores(options.knowledgeBase, options.local.log);
      openLocal().watch();
    },
    failing: () => opened?.failing(),
    async missing() {
      if (isCloud) return undefined;
      const { documents_path: documents } = options.knowledgeBase;
      const kind = isAddress(documents) ? 'folder' : await kindOf(documents);
      if (kind === 'file') return 'knowledge_base.documents_path: expected a folder';
      // A missing folder is no problem before the library is open, because opening creates it.
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
  return `knowledge_base.${setting}: the folder does not exist. Create it or change the setting.`;
}
