/** The vectors of an item, and how near they are to another one. */

export interface ItemVectors {
  /** Vectors of different names are never compared, nor are those of different lengths. */
  embedder: string;
  dims: number;
  /** One after another, each of length 1, or all zeros. */
  data: Float32Array;
}

/** What a search ranks by. */
export interface Nearness {
  embedder: string;
  /** Of length 1. */
  vector: Float32Array;
}

/** The cosine of the nearest one; undefined where none can be compared. */
export function bestScore(vectors: ItemVectors | null | undefined, near: Nearness): number | undefined {
  if (!vectors || vectors.embedder !== near.embedder || vectors.dims !== near.vector.length) return undefined;
  return bestProduct(vectors.data, near.vector);
}

/** `data` is vectors as long as `vector`, one after another; undefined where there are none. */
export function bestProduct(data: Float32Array, vector: Float32Array): number | undefined {
  let best: number | undefined;
  for (let from = 0; from < data.length; from += vector.length) {
    let product = 0;
    for (let at = 0; at < vector.length; at++) product += (data[from + at] ?? 0) * (vector[at] ?? 0);
    if (best === undefined || product > best) best = product;
  }
  // Rounding may lead beyond the bounds of a cosine.
  return best === undefined ? undefined : Math.min(1, Math.max(-1, best));
}

/** The nearest first; those without a score last, and otherwise as they came. */
export function byScore(a: { score?: number | undefined }, b: { score?: number | undefined }): number {
  return (b.score ?? BELOW_ALL) - (a.score ?? BELOW_ALL);
}

// A cosine is at least -1. Infinity would not do: its difference to itself is no number.
const BELOW_ALL = -2;

/** A copy of length 1; of zeros one of zeros, which is near to nothing. */
export function unitVector(vector: ArrayLike<number>): Float32Array {
  const unit = Float32Array.from(vector);
  let squares = 0;
  for (const value of unit) squares += value * value;
  if (squares === 0) return unit;
  const length = Math.sqrt(squares);
  for (let at = 0; at < unit.length; at++) unit[at] = (unit[at] ?? 0) / length;
  return unit;
}
