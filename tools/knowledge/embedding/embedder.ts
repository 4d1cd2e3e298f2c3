/** What turns text into vectors whose cosine says how near two texts are in meaning. */

export interface Embedder {
  /** Names model and version: vectors of different names are never compared. */
  readonly name: string;
  /** From this cosine on a passage has to do with a query, 0 to 1; undefined where the cosine doesn't tell. */
  readonly threshold: number | undefined;
  /** What its order of passages counts beside that of the words, which counts 1; 0 to 1. */
  readonly weight: number;
  /** One vector a text, each of length 1 and all of the same dimension, in the order of the texts. */
  embed(texts: readonly string[], use: 'passage' | 'query', signal?: AbortSignal): Promise<Float32Array[]>;
}
