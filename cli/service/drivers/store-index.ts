/** The store's vector index, as configured. */

import type { LangGraphJson } from '../../../graphs/discovery/langgraph-json.ts';
import { isReference, reference } from '../../../graphs/discovery/reference.ts';
import {
  type Embeddings,
  type EmbedTexts,
  NO_EMBEDDER,
  type StoreIndex,
} from '../../../runtime/store-options.ts';
import type { LoadedSettings } from '../../../settings/load.ts';
import { configurationError } from '../../../state/errors.ts';
import type { Embedder } from '../../../tools/knowledge/embedding/embedder.ts';
import { endpointEmbedder } from '../../../tools/knowledge/embedding/endpoint.ts';
import { hashedEmbedder } from '../../../tools/knowledge/embedding/hashed.ts';
import type { Fetch } from '../../../tools/models/provider/provider-fetch.ts';
import { configuresEmbedder } from './knowledge-base.ts';

/** `openEmbedder` opens the knowledge base's embedder. Undefined if nothing is to be embedded. */
export function configuredStoreIndex(
  loaded: LoadedSettings,
  { openEmbedder, fetch }: { openEmbedder: () => Promise<Embedder>; fetch?: Fetch | undefined },
): StoreIndex | undefined {
  const { index } = loaded.settings.store;
  // The built-in embedder is opt-in: it would slow down every put of stores that are never searched.
  if (index?.embed === NO_EMBEDDER || (!index && !configuresEmbedder(loaded))) return undefined;
  const open = index?.embed === undefined ? openEmbedder : openNamed(loaded, index.embed, fetch);
  return { dims: index?.dims, fields: index?.fields, embed: { open } };
}

/** The settings are validated: without a model, it is the built-in one. */
function openNamed({ settings }: LoadedSettings, name: string, fetch?: Fetch): () => Promise<Embedder> {
  const model = settings.models.find((entry) => entry.role === 'embedding' && entry.model === name);
  const embedder = model ? endpointEmbedder(model, fetch ? { fetch } : {}) : hashedEmbedder();
  return async () => embedder;
}

/**
 * The index of langgraph.json, if its `embed` names a function or an `Embeddings` of the project. Names of providers, such
 * as `openai:text-embedding-3-small`, leave the embedder to the settings. Throws CONFIGURATION_ERROR.
 */
export async function listedStoreIndex(json: LangGraphJson | undefined): Promise<StoreIndex | undefined> {
  const index = json?.store?.index;
  if (!json || !index || !isReference(index.embed)) return undefined;
  const { path, export: name } = reference(index.embed, json.file);
  const exports = await import(path).catch((cause) => {
    throw configurationError(
      'langgraph.json store.index.embed',
      `${index.embed} cannot be loaded: ${cause.message}`,
    );
  });
  const embed: unknown = exports[name];
  const embeds =
    typeof embed === 'function' || typeof (embed as Partial<Embeddings>)?.embedDocuments === 'function';
  if (!embeds)
    throw configurationError(
      'langgraph.json store.index.embed',
      `${index.embed} does not export an embedder`,
    );
  return { ...index, embed: embed as Embeddings | EmbedTexts };
}
