/** Reads a library whose index another process writes. It is a snapshot, and doesn't follow the folder. */
import type { Embedder } from '../embedding/embedder.ts';
import type { Document, SearchOptions, SearchResult } from '../library.ts';
import type { DocumentFolder } from './folder/document-folder.ts';
import { seenDocuments } from './folder/list-documents.ts';
import { readCatalog, readIndex } from './index/open-index.ts';
import { asQuestion, search } from './search/search.ts';

export interface IndexReader {
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  close(): Promise<void>;
}

/** Undefined if no index of this embedder exists yet. */
export async function openIndexReader(folder: string, embedder: Embedder): Promise<IndexReader | undefined> {
  const index = await readIndex(folder, embedder);
  if (!index) return undefined;
  const { catalog } = index;
  return {
    async search(query, options) {
      return search({ ...index, hidden: catalog.stale() }, await asQuestion(embedder, query, options));
    },
    close: async () => index.close(),
  };
}

/** The documents with their state in the process that writes the index, sorted by name. */
export async function readDocuments({
  folder,
  index,
  embedder,
}: {
  folder: DocumentFolder;
  index: string;
  embedder: Embedder;
}): Promise<Document[]> {
  // Read the folder first, so that documents that are indexed in the meantime count as indexed.
  const walk = await folder.walk();
  const catalog = readCatalog(index, embedder);
  try {
    return seenDocuments(walk, catalog);
  } finally {
    catalog?.close();
  }
}
