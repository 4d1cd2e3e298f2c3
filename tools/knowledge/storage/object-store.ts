/** Objects below an address: small and whole, with conditions, and every request bounded in time. */

export interface StoredObject {
  /** Without the address's prefix. */
  key: string;
  /** Another one whenever the object has changed. */
  tag: string;
  size: number;
  modified: Date;
}

/** Failures are thrown as `storageFailure` gives them: they hold no credential and no signed URL. */
export interface ObjectStore {
  /** `unchanged` where it still has the tag; undefined if there is none. Throws PAYLOAD_TOO_LARGE. */
  get(
    key: string,
    asked: GetOptions,
  ): Promise<(StoredObject & { bytes: Uint8Array }) | 'unchanged' | undefined>;
  head(key: string): Promise<StoredObject | undefined>;
  /** The new tag; undefined where the condition does not hold. */
  put(key: string, bytes: Uint8Array<ArrayBuffer>, condition?: Condition): Promise<string | undefined>;
  list(): Promise<StoredObject[]>;
  remove(key: string): Promise<void>;
  /** Fails where the store does not answer or refuses. */
  probe(): Promise<void>;
}

export interface GetOptions {
  unless?: string | undefined;
  /** The most bytes that are read. */
  limit: number;
}

/** Replaces what has this tag, or what is not there. */
export type Condition = { tag: string } | 'absent';

// Of one try, and the pauses before the next ones.
export const TRY_MS = 10_000;
const PAUSES_MS = [100, 400];

/** Tries again what failed in transit: every operation may be done twice, but for what its condition forbids. */
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
