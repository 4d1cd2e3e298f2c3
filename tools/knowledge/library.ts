/** The interface of a library: documents that are searched by meaning and by words. */

export interface Library {
  /**
   * Saves and indexes a document. Resolves when searches find it. `created`: whether the name was new. If indexing fails, the
   * saved document stays and is indexed later.
   */
  add(
    name: string,
    content: Content,
    onSaved?: () => Promise<void>,
  ): Promise<{ document: Document; created: boolean }>;
  /** False if the document doesn't exist. */
  remove(name: string): Promise<boolean>;
  /** All documents, sorted by name, including unreadable ones with the reason. */
  documents(): Promise<Document[]>;
  /** The original file; undefined if it doesn't exist. */
  read(name: string): Promise<Uint8Array | undefined>;
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  close(): Promise<void>;
}

/** The complete file, or a stream of it. */
export type Content = Uint8Array | AsyncIterable<Uint8Array>;

export interface Document {
  /** The path of the file below the folder, separated by `/`. */
  name: string;
  state: 'indexed' | 'indexing' | 'failed';
  /** The number of its passages in the index. */
  chunks: number;
  bytes: number;
  updatedAt: Date;
  /** Why the document could not be read: a sentence without paths of the host. */
  error?: string;
}

export interface SearchOptions {
  /** The maximum number of passages. Default: 6. */
  limit?: number;
  /** The minimum cosine similarity of a result, from 0 to 1. Default: the embedder's threshold. */
  threshold?: number;
  signal?: AbortSignal;
}

export interface SearchResult {
  /** Whether any passage is relevant to the query. Decided before the ranks are fused, because fused ranks don't show it. */
  found: boolean;
  /** Best first. If `found` is false, these are the nearest passages anyway. */
  passages: Passage[];
}

/** A part of a document, with its position and its scores for the query. */
export interface Passage extends Span {
  /** Derived from document, position and text, so that the same text at the same position always gets the same id. */
  id: string;
  document: string;
  text: string;
  /** The larger section around it, for context. */
  context: string;
  scores: {
    /** Cosine similarity, -1 to 1; null if only the word search found the passage. */
    vector: number | null;
    /** BM25 over text, headings and the document's name; null if it contains none of the words. */
    text: number | null;
    /** The weighted reciprocal rank fusion of both rankings. */
    fused: number;
  };
}

export interface Span {
  /** The headings above it, outermost first, joined by ` > `; empty without headings. */
  heading: string;
  /** Counted from 1; null if the document has no pages. */
  page: number | null;
  /** The range in the document's text, in UTF-16 code units. `end` is exclusive. */
  start: number;
  end: number;
}

/** Returns the same library each time. The library does nothing before its first use. */
export type OpenLibrary = () => Library;
