/** The interface of a reader of documents of every supported format. */
import type { ChunkedDocument } from './chunk.ts';

/** Receives some of a document's passages or sections. The next part follows when it has resolved. */
export type TakePart = (part: ChunkedDocument) => Promise<void>;

export interface DocumentReader {
  /** Returns the whole document. Throws UnreadableDocument, or the reason of `signal` if it aborts. */
  read(name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<ChunkedDocument>;
  /** Throws the same errors, and those of `take`, which may have received some parts by then. */
  readInto(take: TakePart, name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface UnreadableOptions extends ErrorOptions {
  /** Whether a retry may succeed, because the machine may have been busy or out of memory. */
  mayPass?: boolean;
}

/** The document cannot be read: it is broken, encrypted, too large, or of an unsupported format. */
export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';
  readonly mayPass: boolean;

  constructor(message: string, { mayPass = false, ...options }: UnreadableOptions = {}) {
    super(message, options);
    this.mayPass = mayPass;
  }
}
