/** What reads documents of every supported kind. */
import type { ChunkedDocument } from './chunk.ts';

/** Gets some passages of a document, or some of the parts around them. The next come when it has resolved. */
export type TakePart = (part: ChunkedDocument) => Promise<void>;

export interface DocumentReader {
  /** All at once. Throws UnreadableDocument; the reason of `signal` once it aborts. */
  read(name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<ChunkedDocument>;
  /** Throws the same, and what `take` throws; then it may have taken some. */
  readInto(take: TakePart, name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The document itself cannot be read: broken, encrypted, too large, of no supported kind. */
export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';
}
