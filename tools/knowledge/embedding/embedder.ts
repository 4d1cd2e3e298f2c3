/** Converts texts to vectors, whose cosine measures the similarity of their meanings. */

export interface Embedder {
  /** Identifies model and version. Vectors of embedders with different names are never compared. */
  readonly name: string;
  /** The minimum cosine of a relevant passage, from 0 to 1; undefined if cosines say nothing about relevance. */
  readonly threshold: number | undefined;
  /** The weight of the ranking by vectors, from 0 to 1. The ranking by words has weight 1. */
  readonly weight: number;
  /** One vector per text, in order. All have length 1 and the same dimension. */
  embed(texts: readonly string[], use: 'passage' | 'query', signal?: AbortSignal): Promise<Float32Array[]>;
}
