/** Updates the index for some documents: reads, splits and embeds changed documents, and removes deleted ones. */
import type { DocumentReader } from '../../documents/reader.ts';
import type { Entry } from '../index/catalog.ts';
import type { Index } from '../index/open-index.ts';
import { openWriting } from '../index/write-passages.ts';
import type { DocumentFolder } from './document-folder.ts';
import { type Draft, draftOf } from './draft.ts';

export interface Ingestion {
  index: Index;
  folder: DocumentFolder;
  reader: DocumentReader;
  /** Revisions that searches must skip until the commit. */
  hidden: Set<number>;
  /** Called with the number of passages that were embedded and written. */
  onPassages(count: number): void;
  signal: AbortSignal;
}

/**
 * Returns the documents whose indexing failed for a reason other than the document, each with the error. The others are
 * committed together.
 */
export async function ingest(names: readonly string[], work: Ingestion): Promise<Map<string, unknown>> {
  const { index, folder, hidden } = work;
  const failures = new Map<string, unknown>();
  const removed: string[] = [];
  const drafts: Draft[] = [];
  await Promise.all(
    names.map(async (name) => {
      try {
        const draft = await draftOf(name, { folder, catalog: index.catalog });
        if (draft) drafts.push(draft);
        else removed.push(name);
      } catch (error) {
        failures.set(name, error);
      }
    }),
  );
  const unread = drafts.filter(({ bytes }) => bytes);
  for (const { entry } of unread) hidden.add(entry.revision);
  try {
    const entries = await read(drafts, failures, work);
    const known = removed.filter((name) => index.catalog.find(name));
    await index.catalog.commit(entries, known);
  } finally {
    for (const { entry } of unread) hidden.delete(entry.revision);
  }
  return failures;
}

/** Returns the entries of documents that were read, and of unreadable documents. Throws if the index cannot be written. */
async function read(drafts: Draft[], failures: Map<string, unknown>, work: Ingestion): Promise<Entry[]> {
  const entries: Entry[] = [];
  const writing = openWriting(work);
  async function readOne({ entry, bytes }: Draft): Promise<void> {
    try {
      entries.push(bytes ? await writing.write(entry, bytes) : entry);
    } catch (error) {
      failures.set(entry.name, error);
    }
  }
  try {
    await Promise.all(drafts.map(readOne));
    await writing.end();
    return entries;
  } catch (error) {
    for (const { entry, bytes } of drafts) if (bytes) work.index.catalog.discard(entry.revision);
    throw error;
  }
}
