/** Lists the documents in the index and those that are waiting for it. */
import type { Document } from '../../library.ts';
import type { Catalog, Entry } from '../index/catalog.ts';
import type { Found, Walk } from './document-folder.ts';
import { sentenceOf, type Trouble } from './trouble.ts';

interface Parts {
  catalog: Catalog;
  walk: Walk;
  worker: { isWaiting(name: string): boolean; troubleOf(name: string): Trouble | undefined };
}

/** Sorted by name. */
export function listDocuments({ catalog, walk, worker }: Parts): Document[] {
  const documents = new Map<string, Document>();
  // A document that isn't waiting has been examined, so it is in the catalog or deleted.
  for (const { name, bytes, modified } of walk.documents.values())
    if (worker.isWaiting(name) || worker.troubleOf(name))
      documents.set(name, { name, state: 'indexing', chunks: 0, bytes, updatedAt: modified });
  for (const entry of catalog.entries()) documents.set(entry.name, documentOf(entry));
  for (const document of documents.values()) {
    const trouble = worker.troubleOf(document.name);
    if (worker.isWaiting(document.name)) document.state = 'indexing';
    else if (trouble) Object.assign(document, { state: 'failed', error: sentenceOf(trouble) });
  }
  return [...documents.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

export function documentOf({ name, chunks, bytes, modified, error }: Entry): Document {
  const document: Document = { name, state: 'indexed', chunks, bytes, updatedAt: modified };
  return error === null ? document : { ...document, state: 'failed', error };
}

/** The documents as another process sees them: from the folder, and from the catalog of the process that indexes. */
export function seenDocuments(walk: Walk, catalog: Catalog | undefined): Document[] {
  const troubles = catalog?.troubles();
  const documents = Array.from(walk.documents.values(), (found): Document => {
    const { name, bytes, modified } = found;
    const entry = catalog?.find(name);
    const error = troubles?.get(name);
    const known = { name, chunks: entry?.chunks ?? 0, bytes, updatedAt: modified };
    if (error !== undefined) return { ...known, state: 'failed', error };
    return entry && isOf(entry, found) ? documentOf(entry) : { ...known, state: 'indexing' };
  });
  return documents.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Whether the entry is about this version of the file. A file that has just changed has no stamp yet. */
function isOf({ stamp, bytes, modified }: Entry, found: Found): boolean {
  if (stamp !== '') return stamp === found.stamp;
  return bytes === found.bytes && modified.getTime() === found.modified.getTime();
}
