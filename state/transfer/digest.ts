/** The row count of a table and a digest of its content that does not depend on the order of its rows. */
import type { Row } from './store.ts';

export interface Digest {
  rows: number;
  /** The sum of the first 128 bits of the rows' SHA-256 digests, as two 64-bit halves in hex. */
  sum: string;
}

export interface DigestBuilder {
  add(rows: Row[]): void;
  digest(): Digest;
}

const MASK = (1n << 64n) - 1n;

export function startDigest(): DigestBuilder {
  let rows = 0;
  const sums: [bigint, bigint] = [0n, 0n];
  return {
    add(more) {
      for (const row of more) {
        const hash = Bun.SHA256.hash(textOf(row)) as Uint8Array;
        const view = new DataView(hash.buffer, hash.byteOffset);
        sums[0] = (sums[0] + view.getBigUint64(0)) & MASK;
        sums[1] = (sums[1] + view.getBigUint64(8)) & MASK;
      }
      rows += more.length;
    },
    digest: () => ({ rows, sum: sums.map((half) => half.toString(16).padStart(16, '0')).join('') }),
  };
}

function textOf(row: Row): string {
  return JSON.stringify(
    Object.values(row).map((value) =>
      value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : value,
    ),
  );
}
