/** Addresses in object stores: `s3://bucket/prefix`, `az://container/prefix` and `gs://bucket/prefix`. */

export interface Address {
  scheme: 's3' | 'az' | 'gs';
  /** A bucket, or a container of Azure. */
  bucket: string;
  /** The prefix of all names: empty, or ends with a `/`. */
  prefix: string;
}

const ADDRESS = /^(s3|az|gs):\/\/([a-z0-9][a-z0-9._-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9!_.*'() =+@-]+)*)\/?$/;

/** The expected form of an address, for messages. */
export const EXPECTED_ADDRESS =
  'expected a folder, or s3://bucket/prefix, az://container/prefix or gs://bucket/prefix';

/** Whether a setting names a store instead of a folder. The address may be invalid. */
export function isAddress(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(text);
}

/** Undefined if the scheme is unknown, or a part is invalid for all stores. */
export function addressOf(text: string): Address | undefined {
  const [, scheme, bucket = '', path = ''] = ADDRESS.exec(text) ?? [];
  if (scheme !== 's3' && scheme !== 'az' && scheme !== 'gs') return undefined;
  const parts = path.split('/').slice(1);
  if (bucket.includes('..') || parts.some((part) => /^\.+$/.test(part))) return undefined;
  return { scheme, bucket, prefix: parts.map((part) => `${part}/`).join('') };
}

export function addressText({ scheme, bucket, prefix }: Address): string {
  return `${scheme}://${bucket}/${prefix}`;
}

/** Whether one address contains the other, or both are the same. */
export function overlaps(one: Address, other: Address): boolean {
  const isSameBucket = one.scheme === other.scheme && one.bucket === other.bucket;
  return isSameBucket && (one.prefix.startsWith(other.prefix) || other.prefix.startsWith(one.prefix));
}
