/** Simulates an embedding model of medium quality, because an evaluation must not depend on a real one. */
import type { Embedder } from '../../tools/knowledge/embedding/embedder.ts';
import { hashedEmbedder } from '../../tools/knowledge/embedding/hashed.ts';
import { normalised } from '../../tools/knowledge/embedding/vector.ts';
import type { DocumentQuestion } from './documentation.ts';

// The weight of the noise relative to the nearby passage: two of three searches then find one of the right documents.
const NOISE = 4;

/**
 * Passages have the vectors of the built-in embedder, so its index can be used. A question's vector is that of a passage
 * of a document that answers it, plus noise: independent of the wording, and wrong as often as a model is. It shows how
 * two rankings of about the same quality are fused, and nothing about any real model.
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
