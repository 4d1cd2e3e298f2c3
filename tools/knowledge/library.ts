/** The interface of a library: documents that are searched by meaning and by words. */

export interface Library {
  /**
   * Saves and indexes a document; resolves when searches find it. `created`: the name was new. If indexing fails, the
   * saved document stays and is indexed later.
   */
  add(
    name: string,
    content: Content,
    onSaved?: () => Promise<void>,
  ): Promise<{ document: Document; created: boolean }>;
  /** False if the document doesn't exist. */
  remove(name: string): Promise<boolean>;
  /** Every document, by name, including unreadable ones with the reason. */
  documents(): Promise<Document[]>;
  /** The original file; undefined if it doesn't exist. */
  read(name: string): Promise<Uint8Array | undefined>;
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  close(): Promise<void>;
}

/** The whole file, or a stream of it. */
export type Content = Uint8Array | AsyncIterable<Uint8Array>;

export interface Document {
  /** The file's path below the folder, with `/` between its parts. */
  name: string;
  state: 'indexed' | 'indexing' | 'failed';
  /** Number of passages in the index. */
  chunks: number;
  bytes: number;
  updatedAt: Date;
  /** Why it could not be read: a sentence without paths of the host. */
  error?: string;
}

export interface SearchOptions {
  /** The most passages; default 6. */
  limit?: number;
  /** The minimum cosine similarity of a result, 0 to 1; default: the embedder's threshold. */
  threshold?: number;
  signal?: AbortSignal;
}

export interface SearchResult {
  /** Whether any passage is relevant to the query. Decided before ranks are fused, because fused ranks don't show it. */
  found: boolean;
  /** Best first. If `found` is false, these are still the nearest ones. */
  passages: Passage[];
}

/** A part of a document, its position, and its scores for the query. */
export interface Passage extends Span {
  /** Derived from document and text: the same text at the same position gets the same id after every ingestion. */
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
    /** Reciprocal rank fusion of both rankings, each with its weight. */
    fused: number;
  };
}

export interface Span {
  /** The headings above it, outermost first, joined by ` > `; empty without headings. */
  heading: string;
  /** Counted from 1; null if the document has no pages. */
  page: number | null;
  /** Characters (UTF-16 code units) of the document's text, `end` exclusive. */
  start: number;
  end: number;
}

/** Returns the same library each time; it does nothing before its first use. */
export type OpenLibrary = () => Library;
