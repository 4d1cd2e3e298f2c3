/** Stands in for an embedding model of middling quality, since an evaluation must not depend on one. */
import type { Embedder } from '../../tools/knowledge/embedding/embedder.ts';
import { hashedEmbedder } from '../../tools/knowledge/embedding/hashed.ts';
import { normalised } from '../../tools/knowledge/embedding/vector.ts';
import type { DocumentQuestion } from './documentation.ts';

// Of the noise, as against the passage that it is near to: one of the right documents is then found in two of three cases.
const NOISE = 4;

/**
 * Passages have the vectors of the built-in embedder, so that its index serves. A question's vector is that of a passage
 * of a document that answers it, with noise: right whatever the words are, and as often wrong as a model is. It shows how
 * two orders of about the same quality are fused, and nothing about any real model.
 */
export function simulatedModel(
  questions: readonly DocumentQuestion[],
  passageOf: (document: string) => string | undefined,
): Embedder {
  const hashed = hashedEmbedder();
  const known = new Map(questions.map((question) => [question.question, question]));
  return {
    ...hashed,
    weight: 1,
    async embed(texts, use, signal) {
      const vectors = await hashed.embed(texts, use, signal);
      if (use === 'passage') return vectors;
      return Promise.all(
        vectors.map(async (vector, at) => {
          const query = texts[at] ?? '';
          const [document] = known.get(query)?.documents ?? [];
          const passage = document === undefined ? undefined : passageOf(document);
          const [near] = passage === undefined ? [] : await hashed.embed([passage], 'passage');
          return normalised(withNoise(near ?? vector.fill(0), query));
        }),
      );
    },
  };
}

function withNoise(vector: Float32Array, seed: string): Float32Array {
  const next = random(Bun.hash.crc32(seed));
  const noise = normalised(Float32Array.from(vector, () => next() + next() + next() - 1.5));
  return vector.map((value, at) => value + NOISE * (noise[at] ?? 0));
}

function random(seed: number): () => number {
  let state = seed % 2 ** 31;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
