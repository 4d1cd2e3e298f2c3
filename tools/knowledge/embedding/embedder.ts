/** Turns texts into vectors; their cosine measures similarity in meaning. */

export interface Embedder {
  /** Identifies model and version: vectors of different names are never compared. */
  readonly name: string;
  /** The cosine from which a passage is relevant to a query, 0 to 1; undefined if cosines say nothing about relevance. */
  readonly threshold: number | undefined;
  /** The weight of its ranking, 0 to 1; the ranking by words has weight 1. */
  readonly weight: number;
  /** One vector per text, in order, each of length 1 and all of the same dimension. */
  embed(texts: readonly string[], use: 'passage' | 'query', signal?: AbortSignal): Promise<Float32Array[]>;
}
