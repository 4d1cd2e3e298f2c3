/** Converts the index of the settings, of langgraph.json or of a LangGraph store into the index of an `ItemStore`. */
import type { ItemEmbedder, ItemIndex } from '../../../state/items/embedding.ts';
import type { Embeddings, EmbedTexts, StoreIndex } from '../../store-options.ts';

const WHOLE_VALUE = ['$'];

export function itemIndex({ dims, embed, fields = WHOLE_VALUE }: StoreIndex): ItemIndex {
  if (typeof embed === 'function') return { dims, fields, open: async () => ofFunction(embed) };
  if ('embedDocuments' in embed) return { dims, fields, open: async () => ofEmbeddings(embed) };
  return { dims, fields, open: () => embed.open() };
}

function ofFunction(embed: EmbedTexts): ItemEmbedder {
  return { name: `function:${embed.name}`, embed: async (texts) => embed([...texts]) };
}

function ofEmbeddings(embeddings: Embeddings): ItemEmbedder {
  return {
    name: nameOf(embeddings),
    async embed(texts, use) {
      if (use === 'passage') return embeddings.embedDocuments([...texts]);
      return Promise.all(texts.map((text) => embeddings.embedQuery(text)));
    },
  };
}

/** The class and, if known, the model: vectors of different embedders are never compared. */
function nameOf(embeddings: Embeddings): string {
  const model = embeddings.model ?? embeddings.modelName;
  const { name } = embeddings.constructor;
  return typeof model === 'string' ? `${name}:${model}` : name;
}
