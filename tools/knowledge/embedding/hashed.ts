/** The built-in embedder: hashed words and parts of words. It needs no model, no network and no configuration. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Embedder } from './embedder.ts';
import { type HashedFeatures, openFeatures } from './hashed-features.ts';
import { normalised } from './vector.ts';

/** All tuned values. With other values, it is another embedder, with another name. */
export const HASHED: HashedFeatures = {
  // Hashed texts without common features have a cosine of 0 ± 1/√dimension.
  dimension: 512,
  wordPlaces: 2,
  // A fifth of a passage's words are stop words, which carry no meaning.
  stopWordWeight: 0.05,
  // Vague words such as "want", "get" and "good" carry little meaning.
  vagueWordWeight: 0.5,
  // The weight of all parts of a word together, relative to that of the word. The parts find what the text search misses:
  // typing errors and compounds.
  gramsWeight: 1,
  grams: [3, 4],
};

// Increment it when the same options produce different vectors.
const VERSION = 1;

// Less than 1, because it finds words like the text search, but less precisely, so an equal weight would worsen the better
// ranking. Parts of words find misspellings and compounds.
const WEIGHT = 0.5;

// Longer texts are truncated, as by models, because a long computation would block other work.
const MAX_CHARACTERS = 32_000;
// Yields to other work after this long.
const SLICE_MS = 4;

/** Deterministic signed feature hashing, https://arxiv.org/abs/0902.2206. */
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
    // Among thousands of passages, the nearest one is close to any query, so words are the better criterion.
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
