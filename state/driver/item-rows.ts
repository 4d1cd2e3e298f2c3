/** Converts items from and to rows, and vectors from and to bytes. */
import type { Item, SearchItem } from '@langchain/langgraph-checkpoint';
import { decode } from '../checkpoints/serializer.ts';
import type { ItemLife } from '../items/items.ts';

export interface ItemRow {
  seq: number;
  namespace: string;
  key: string;
  value: string;
  created_at: number;
  updated_at: number;
  ttl: number | null;
  expires_at: number | null;
}

/** A possible result of a search. */
export interface Candidate {
  /** The item's `seq`. */
  number: number;
  score?: number | undefined;
}

export interface FoundItems {
  rows: ItemRow[];
  items: (SearchItem & ItemLife)[];
}

/** A view of the bytes as floats. A Float32Array must start at a multiple of 4 bytes, so unaligned bytes are copied. */
export function floatsOf(bytes: Uint8Array): Float32Array {
  const isAligned = bytes.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0;
  const { buffer, byteOffset, byteLength } = isAligned ? bytes : new Uint8Array(bytes);
  return new Float32Array(buffer, byteOffset, byteLength / Float32Array.BYTES_PER_ELEMENT);
}

export function itemOf(row: ItemRow): Item & ItemLife {
  const { namespace, key, value, created_at, updated_at, ttl, expires_at } = row;
  return {
    namespace: namespace.split(':'),
    key,
    value: decode(value) as Item['value'],
    createdAt: new Date(created_at),
    updatedAt: new Date(updated_at),
    ...(ttl !== null && expires_at !== null && { ttlMinutes: ttl / 60_000, expiresAt: new Date(expires_at) }),
  };
}

/** Unambiguous, because labels contain no colons. */
export function pathOf(namespace: string[]): string {
  return namespace.join(':');
}

export function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
