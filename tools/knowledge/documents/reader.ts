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

export interface UnreadableOptions extends ErrorOptions {
  /** The reason may lie in the machine, which was busy or short of memory: reading it once more may work. */
  mayPass?: boolean;
}

/** The document cannot be read: it is broken, encrypted, too large, or of no supported kind. */
export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';
  readonly mayPass: boolean;

  constructor(message: string, { mayPass = false, ...options }: UnreadableOptions = {}) {
    super(message, options);
    this.mayPass = mayPass;
  }
}
