/** What reads documents of every supported kind. */
import type { ChunkedDocument } from './chunk.ts';

export interface DocumentReader {
  /** Throws UnreadableDocument; the reason of `signal` once it aborts. */
  read(name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<ChunkedDocument>;
  close(): Promise<void>;
}

/** The document itself cannot be read: broken, encrypted, too large, of no supported kind. */
export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';
}
