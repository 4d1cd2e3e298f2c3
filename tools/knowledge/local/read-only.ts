/** Reads a library whose index another process writes: what is there now, without following the folder. */
import type { Embedder } from '../embedding/embedder.ts';
import type { Document, SearchOptions, SearchResult } from '../library.ts';
import type { DocumentFolder } from './document-folder.ts';
import { seenDocuments } from './list-documents.ts';
import { readCatalog, readIndex } from './open-index.ts';
import { asQuestion, search } from './search.ts';

export interface IndexReader {
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  close(): Promise<void>;
}

/** Undefined where there is no index yet that this embedder made. */
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

/** As far as the process that writes the index has come, by name. */
export async function readDocuments({
  folder,
  index,
  embedder,
}: {
  folder: DocumentFolder;
  index: string;
  embedder: Embedder;
}): Promise<Document[]> {
  // The folder first: what is indexed meanwhile counts.
  const walk = await folder.walk();
  const catalog = readCatalog(index, embedder);
  try {
    return seenDocuments(walk, catalog);
  } finally {
    catalog?.close();
  }
}
