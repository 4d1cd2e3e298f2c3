/** Reads a library whose index another process writes: what is there now, without following the folder. */
import type { Embedder } from '../embedding/embedder.ts';
import type { Document, SearchOptions, SearchResult } from '../library.ts';
import { documentOf } from './list-documents.ts';
import { readIndex } from './open-index.ts';
import { asQuestion, search } from './search.ts';

export interface IndexReader {
  documents(): Promise<Document[]>;
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  close(): Promise<void>;
}

/** Undefined where there is no index yet that this embedder made. */
export async function openIndexReader(folder: string, embedder: Embedder): Promise<IndexReader | undefined> {
  const index = await readIndex(folder, embedder);
  if (!index) return undefined;
  const { catalog } = index;
  return {
    documents: async () => Array.from(catalog.entries(), documentOf),
    async search(query, options) {
      return search({ ...index, hidden: catalog.stale() }, await asQuestion(embedder, query, options));
    },
    close: async () => index.close(),
  };
}
