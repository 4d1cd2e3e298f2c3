/** Opens the configured knowledge base with the configured embedder. */

import type { LoadedSettings } from '../../../settings/load.ts';
import type { Sweeps } from '../../../state/cluster/sweeps.ts';
import type { Embedder } from '../../../tools/knowledge/embedding/embedder.ts';
import { endpointEmbedder } from '../../../tools/knowledge/embedding/endpoint.ts';
import { hashedEmbedder } from '../../../tools/knowledge/embedding/hashed.ts';
import { transformerEmbedder } from '../../../tools/knowledge/embedding/transformer.ts';
import type { LibraryLog } from '../../../tools/knowledge/local/index/log.ts';
import { type KnowledgeBase, openKnowledgeBase } from '../../../tools/knowledge/open.ts';
import { installSamples } from '../../../tools/knowledge/sample/install.ts';
import type { Fetch } from '../../../tools/models/provider/provider-fetch.ts';

export interface KnowledgeBaseParts {
  log: LibraryLog;
  openEmbedder: () => Promise<Embedder>;
  /** The state's lease, for a server that indexes; commands have none. */
  leases?: Sweeps;
}

export function configuredKnowledgeBase(
  loaded: LoadedSettings,
  { log, openEmbedder, leases }: KnowledgeBaseParts,
): KnowledgeBase {
  const { knowledge_base, cloud_search, cluster } = loaded.settings;
  const hasEndpoint = embeddingModel(loaded) !== undefined;
  return openKnowledgeBase({
    knowledgeBase: knowledge_base,
    cloud: cloud_search,
    local: {
      openEmbedder,
      embeddingFolder: hasEndpoint ? undefined : knowledge_base.embedding_folder,
      log,
      installSamples: wantedSamples(loaded),
      leases: leases && { leases, seconds: cluster.lease_seconds },
    },
  });
}

/** Opens the embedder at the first call and then returns the same one; a failed attempt is repeated at the next call. */
export function sharedEmbedder(loaded: LoadedSettings, fetch?: Fetch): () => Promise<Embedder> {
  let opened: Promise<Embedder> | undefined;
  return () => {
    opened ??= openEmbedder(loaded, fetch).catch((error) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
}

/** Whether an embedder other than the built-in one is set. */
export function configuresEmbedder(loaded: LoadedSettings): boolean {
  const folder = loaded.settings.knowledge_base.embedding_folder;
  return embeddingModel(loaded) !== undefined || folder !== undefined;
}

/**
 * The first model with the role `embedding`, else the model in `embedding_folder`, else the built-in embedder.
 * `fetch` replaces the network to the model provider.
 */
export async function openEmbedder(loaded: LoadedSettings, fetch?: Fetch): Promise<Embedder> {
  const model = embeddingModel(loaded);
  const folder = loaded.settings.knowledge_base.embedding_folder;
  if (model)
    return endpointEmbedder(model, {
      fetch,
      settingPath: `models[${loaded.settings.models.indexOf(model)}]`,
    });
  return folder === undefined ? hashedEmbedder() : transformerEmbedder(folder);
}

function embeddingModel({ settings }: LoadedSettings) {
  return settings.models.find(({ role }) => role === 'embedding');
}

/** Sample documents are created only if requested or if no path is set: never at a mistyped path. */
export function wantedSamples({ settings, sources }: LoadedSettings): typeof installSamples | undefined {
  const isDefault = sources['knowledge_base.documents_path'] === 'default';
  return (settings.knowledge_base.seed_samples ?? isDefault) ? installSamples : undefined;
}
