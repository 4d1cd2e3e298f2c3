/** What reads documents of every supported kind. */
import type { ChunkedDocument } from './chunk.ts';

/** Receives some passages of a document, or some of their parents. The next part comes once it has resolved. */
export type TakePart = (part: ChunkedDocument) => Promise<void>;

export interface DocumentReader {
  /** Returns the whole document. Throws UnreadableDocument, or the reason of `signal` if it aborts. */
  read(name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<ChunkedDocument>;
  /** Throws the same, and what `take` throws; `take` may have received some parts by then. */
  readInto(take: TakePart, name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The document itself cannot be read: broken, encrypted, too large, of no supported kind. */
export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';
}
