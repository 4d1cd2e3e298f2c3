/** The built-in embedder: hashed words and parts of words. It needs no model, no network and no configuration. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Embedder } from './embedder.ts';
import { type HashedFeatures, openFeatures } from './hashed-features.ts';
import { normalised } from './vector.ts';

/** What is tuned, all in one place: other values are another embedder, by name as well. */
export const HASHED: HashedFeatures = {
  // Hashed texts that share nothing have a cosine of 0 ± 1/√dimension.
  dimension: 512,
  wordPlaces: 2,
  // A fifth of a passage's words are stop words, and say nothing of what it is about.
  stopWordWeight: 0.05,
  // "want", "get", "good": more than nothing.
  vagueWordWeight: 0.5,
  // All parts of a word together, as against the word. Words are found by the text search as well; what it misses is
  // found by their parts: typing errors and compounds.
  gramsWeight: 1,
  grams: [3, 4],
};

// Counts up when the same options come to give other vectors.
const VERSION = 1;

// It finds words as the text search does, only less exactly: as its equal it spoils the better order of the two. By parts
// of words it finds misspelt ones and compounds.
const WEIGHT = 0.5;

// A text is cut here, as models do: what takes long would keep other work from its turn.
const MAX_CHARACTERS = 32_000;
// Other work gets its turn after so long.
const SLICE_MS = 4;

/** Always gives the same vectors for the same texts: signed feature hashing, https://arxiv.org/abs/0902.2206. */
export function hashedEmbedder(tuned: Partial<HashedFeatures> = {}): Embedder {
  const features = { ...HASHED, ...tuned };
  const { addTo } = openFeatures(features);

  function vectorOf(text: string): Float32Array {
    const vector = new Float32Array(features.dimension);
    addTo(vector, text.slice(0, MAX_CHARACTERS));
    return normalised(vector);
  }

  return {
    name: `hashed-${VERSION}-${Bun.hash.crc32(JSON.stringify(features)).toString(16)}`,
    // Of thousands of passages the nearest is near enough to anything: whether it is a find, its words tell better.
    threshold: undefined,
    weight: WEIGHT,
    async embed(texts, _use, signal) {
      const vectors: Float32Array[] = [];
      let turn = performance.now();
      for (const text of texts) {
        signal?.throwIfAborted();
        vectors.push(vectorOf(text));
        if (performance.now() - turn < SLICE_MS) continue;
        await nextTurn();
        turn = performance.now();
      }
      return vectors;
    },
  };
}
