/** What a library is to workflows and to the service: documents that are searched by meaning and by words. */

export interface Library {
  /**
   * Saves a document and indexes it; gives it once a search finds it. `created`: there was none of that name. What is saved
   * stays, and is indexed later where that fails now.
   */
  add(
    name: string,
    content: Content,
    onSaved?: () => Promise<void>,
  ): Promise<{ document: Document; created: boolean }>;
  /** False if there is none of that name. */
  remove(name: string): Promise<boolean>;
  /** Every document, by name; also those that could not be read, with the reason. */
  documents(): Promise<Document[]>;
  /** The file as it was given; undefined if there is none. */
  read(name: string): Promise<Uint8Array | undefined>;
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  close(): Promise<void>;
}

/** Whole, or piece by piece as it comes. */
export type Content = Uint8Array | AsyncIterable<Uint8Array>;

export interface Document {
  /** The file's path below the folder, with `/` between its parts. */
  name: string;
  state: 'indexed' | 'indexing' | 'failed';
  /** Passages in the index. */
  chunks: number;
  bytes: number;
  updatedAt: Date;
  /** Why it could not be read, where it failed: a sentence without paths of the host. */
  error?: string;
}

export interface SearchOptions {
  /** The most passages; default 6. */
  limit?: number;
  /** The least cosine similarity of a find, 0 to 1; default: what suits the embedder. */
  threshold?: number;
  signal?: AbortSignal;
}

export interface SearchResult {
  /** Whether any passage has to do with the query. Decided before ranks are fused, which say nothing about it. */
  found: boolean;
  /** The best first. Where nothing was found these are the nearest all the same. */
  passages: Passage[];
}

/** A part of a document, where it stands in it, and how well it fits the query. */
export interface Passage extends Span {
  /** Of document and text: the same text at the same place has the same id after every ingestion. */
  id: string;
  document: string;
  text: string;
  /** The larger part around it, for whoever must understand it. */
  context: string;
  scores: {
    /** Cosine similarity, -1 to 1; null where the passage was found by its words alone. */
    vector: number | null;
    /** BM25 over text, headings and the document's name; null where it has none of the words. */
    text: number | null;
    /** Reciprocal rank fusion of both orders, each with its weight. */
    fused: number;
  };
}

export interface Span {
  /** The headings above it, outermost first, joined by ` > `; empty if there is none. */
  heading: string;
  /** Counted from 1; null where the document has no pages. */
  page: number | null;
  /** Characters (UTF-16 code units) of the document's text, `end` exclusive. */
  start: number;
  end: number;
}

/** Gives the same library each time, which does nothing before its first use. */
export type OpenLibrary = () => Library;
