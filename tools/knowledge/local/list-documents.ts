/** The documents as people see them: those of the index, and those that are on their way into it. */
import { SkeinError } from '../../../state/errors.ts';
import type { Document } from '../library.ts';
import type { Catalog, Entry } from './catalog.ts';
import type { Walk } from './document-folder.ts';
import type { Trouble } from './worker.ts';

interface Parts {
  catalog: Catalog;
  walk: Walk;
  worker: { isWaiting(name: string): boolean; troubleOf(name: string): Trouble | undefined };
}

/** By name. */
export function listDocuments({ catalog, walk, worker }: Parts): Document[] {
  const documents = new Map<string, Document>();
  // One that does not wait was looked at, and is in the catalog or gone.
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

function sentenceOf({ error }: Trouble): string {
  const reason = error instanceof SkeinError ? error.message : 'An unexpected error happened';
  return `It could not be indexed, and is tried again: ${reason}`;
}
