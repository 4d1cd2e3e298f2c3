/**
 * The interface of an object store: small objects below an address, which are read and written completely, with conditions and
 * timeouts.
 */

export interface StoredObject {
  /** The name of the object, without the prefix of the address. */
  key: string;
  /** A value that changes whenever the object changes. */
  tag: string;
  size: number;
  modified: Date;
}

/** Methods throw the errors of `storageFailure`, which contain no credentials and no signed URL. */
export interface ObjectStore {
  /** `unchanged` if the object still has the tag `unless`; undefined if it doesn't exist. Throws PAYLOAD_TOO_LARGE. */
  get(
    key: string,
    options: GetOptions,
  ): Promise<(StoredObject & { bytes: Uint8Array }) | 'unchanged' | undefined>;
  head(key: string): Promise<StoredObject | undefined>;
  /** Returns the new tag; undefined if the condition does not hold. */
  put(key: string, bytes: Uint8Array<ArrayBuffer>, condition?: Condition): Promise<string | undefined>;
  list(): Promise<StoredObject[]>;
  remove(key: string): Promise<void>;
  /** Throws if the store does not respond or rejects the request. */
  probe(): Promise<void>;
}

interface GetOptions {
  unless?: string | undefined;
  /** The maximum number of bytes to read. */
  limit: number;
}

/** Only replace an object with this tag, or only create an object that doesn't exist. */
export type Condition = { tag: string } | 'absent';

// The timeout of one attempt, and the pauses before the next attempts.
export const TRY_MS = 10_000;
const PAUSES_MS = [100, 400];

/** Retries temporary failures, so an operation may run twice unless its condition prevents that. */
export async function tried<T>(work: () => Promise<T>, isTransient: (error: unknown) => boolean): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error)) throw error;
      await Bun.sleep(pause);
    }
  }
  return work();
}

export function tagOf(etag: string | null | undefined): string {
  return (etag ?? '').replace(/^W\//, '').replaceAll('"', '');
}
