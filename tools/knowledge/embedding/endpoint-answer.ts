/** Validates the response of an embedding endpoint: one vector per text, all of one dimension, numbers only. */
import { ProviderError } from '../../models/errors/provider-error.ts';
import { normalised } from './vector.ts';

// Above the dimension of any existing model.
const MAX_DIMENSION = 16_384;

export interface Expected {
  count: number;
  /** The dimension of earlier vectors; undefined for the first. */
  dimension: number | undefined;
}

/** In the order of the texts, each of length 1. Throws a ProviderError. */
export function readVectors(json: string, { count, dimension }: Expected): Float32Array[] {
  const entries = entriesOf(json);
  if (entries.length !== count)
    throw malformed(`the provider returned ${entries.length} vectors for ${count} texts`);
  const vectors: Float32Array[] = [];
  for (const [position, entry] of entries.entries()) {
    const { index = position, embedding } = record(entry);
    if (!Number.isInteger(index) || Number(index) < 0 || Number(index) >= count || vectors[Number(index)])
      throw malformed('the provider returned vectors with invalid indexes');
    vectors[Number(index)] = vectorOf(embedding);
  }
  const wanted = dimension ?? vectors[0]?.length;
  if (vectors.some((vector) => vector.length !== wanted))
    throw malformed('the provider returned vectors of different dimensions');
  return vectors.map(normalised);
}

function vectorOf(embedding: unknown): Float32Array {
  if (!Array.isArray(embedding) || embedding.length === 0 || embedding.length > MAX_DIMENSION)
    throw malformed('the provider returned an invalid vector');
  const vector = Float32Array.from(embedding, (value) => (typeof value === 'number' ? value : Number.NaN));
  // Rejects values that aren't numbers or exceed 32-bit floats.
  if (!vector.every(Number.isFinite)) throw malformed('the provider returned a vector with invalid numbers');
  if (vector.every((value) => value === 0)) throw malformed('the provider returned a vector of zeros');
  return vector;
}

function entriesOf(json: string): unknown[] {
  const { data } = record(parsed(json));
  if (!Array.isArray(data)) throw malformed('the provider returned no vectors');
  return data;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw malformed('the provider sent invalid JSON');
  }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function malformed(message: string): ProviderError {
  return new ProviderError('malformed', message);
}
