/** Small objects below an address, read and written completely, with conditions and timeouts. */

export interface StoredObject {
  /** Without the address's prefix. */
  key: string;
  /** Changes whenever the object changes. */
  tag: string;
  size: number;
  modified: Date;
}

/** Throws what `storageFailure` returns: errors contain no credentials and no signed URL. */
export interface ObjectStore {
  /** `unchanged` if it still has the tag; undefined if it doesn't exist. Throws PAYLOAD_TOO_LARGE. */
  get(
    key: string,
    asked: GetOptions,
  ): Promise<(StoredObject & { bytes: Uint8Array }) | 'unchanged' | undefined>;
  head(key: string): Promise<StoredObject | undefined>;
  /** The new tag; undefined if the condition does not hold. */
  put(key: string, bytes: Uint8Array<ArrayBuffer>, condition?: Condition): Promise<string | undefined>;
  list(): Promise<StoredObject[]>;
  remove(key: string): Promise<void>;
  /** Fails if the store does not respond or rejects the request. */
  probe(): Promise<void>;
}

interface GetOptions {
  unless?: string | undefined;
  /** The maximum number of bytes to read. */
  limit: number;
}

/** Replaces only an object with this tag, or creates only a missing one. */
export type Condition = { tag: string } | 'absent';

// Timeout of one attempt, and the pauses before the next ones.
export const TRY_MS = 10_000;
const PAUSES_MS = [100, 400];

/** Retries transport failures, so an operation may run twice unless its condition prevents that. */
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
