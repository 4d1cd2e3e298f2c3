/** Unit vectors, whose dot product is their cosine. */

/** Normalizes in place. A vector of zeros becomes an arbitrary vector, which is close to no text. */
export function normalised(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) {
    vector[0] = 1;
    return vector;
  }
  const length = Math.sqrt(squares);
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / length;
  return vector;
}
