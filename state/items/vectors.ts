/** The vectors of an item and their similarity to a query. */

export interface ItemVectors {
  /** Vectors of different embedders or dimensions are never compared. */
  embedder: string;
  dims: number;
  /** The concatenated vectors, each of length 1 or all zeros. */
  data: Float32Array;
}

/** The query vector by which a search ranks. */
export interface QueryVector {
  embedder: string;
  /** Of length 1. */
  vector: Float32Array;
}

/** The cosine similarity of the nearest vector; undefined if none can be compared. */
export function bestScore(vectors: ItemVectors | null | undefined, near: QueryVector): number | undefined {
  if (!vectors || vectors.embedder !== near.embedder || vectors.dims !== near.vector.length) return undefined;
  return bestProduct(vectors.data, near.vector);
}

/** The largest dot product. `data`: concatenated vectors as long as `vector`. Undefined without vectors. */
export function bestProduct(data: Float32Array, vector: Float32Array): number | undefined {
  let best: number | undefined;
  for (let from = 0; from < data.length; from += vector.length) {
    let product = 0;
    for (let at = 0; at < vector.length; at++) product += (data[from + at] ?? 0) * (vector[at] ?? 0);
    if (best === undefined || product > best) best = product;
  }
  // Rounding may exceed the bounds of a cosine.
  return best === undefined ? undefined : Math.min(1, Math.max(-1, best));
}

/** Compares for a stable sort: the nearest first, items without a score last. */
export function byScore(a: { score?: number | undefined }, b: { score?: number | undefined }): number {
  return (b.score ?? BELOW_ALL) - (a.score ?? BELOW_ALL);
}

// Below every cosine. -Infinity would not work, because its difference to itself is NaN.
const BELOW_ALL = -2;

/** A copy scaled to length 1. A zero vector stays zero, so its similarity to any vector is 0. */
export function unitVector(vector: ArrayLike<number>): Float32Array {
  const unit = Float32Array.from(vector);
  let squares = 0;
  for (const value of unit) squares += value * value;
  if (squares === 0) return unit;
  const length = Math.sqrt(squares);
  for (let at = 0; at < unit.length; at++) unit[at] = (unit[at] ?? 0) / length;
  return unit;
}
