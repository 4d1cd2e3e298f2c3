/** Measures vectors. */

export function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (a === undefined || a.length !== b?.length) throw new Error('the vectors are of different kinds');
  const product = a.reduce((sum, value, at) => sum + value * (b[at] ?? Number.NaN), 0);
  return product / (lengthOf(a) * lengthOf(b));
}

export function lengthOf(vector: Float32Array): number {
  return Math.hypot(...vector);
}
