/** An embedder with predictable cosines: each known word has one dimension. */
import type { ItemEmbedder, ItemIndex } from '../../state/items/embedding.ts';

const WORDS = ['apple', 'bicycle', 'cat', 'music'];

export interface WordVectors {
  /** The texts of each call, in order. */
  batches: string[][];
  dims: number;
  /** Throws for a text with the word `broken`. */
  embed(texts: readonly string[]): Promise<number[][]>;
}

export function wordVectors(): WordVectors {
  const batches: string[][] = [];
  return {
    batches,
    dims: WORDS.length,
    async embed(texts) {
      batches.push([...texts]);
      if (texts.some((text) => text.includes('broken'))) throw new Error('the embedder is broken');
      return texts.map((text) => WORDS.map((word) => text.split(word).length - 1));
    },
  };
}

/** An index with this embedder; options override parts of it. */
export function wordIndex(changed: Partial<ItemEmbedder & ItemIndex> = {}): ItemIndex {
  const { name = 'words', embed = wordVectors().embed, ...index } = changed;
  return { dims: WORDS.length, fields: ['text'], open: async () => ({ name, embed }), ...index };
}
