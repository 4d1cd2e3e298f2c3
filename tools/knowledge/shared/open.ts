/** A library whose index is in an object store. Every server searches it, and the holder of a lease writes it. */

import type { Sweeps } from '../../../state/cluster/sweeps.ts';
import { SkeinError } from '../../../state/errors.ts';
import type { DocumentReader } from '../documents/reader.ts';
import type { Embedder } from '../embedding/embedder.ts';
import type { Document, Library } from '../library.ts';
import { type DocumentFolder, type Found, isDocumentName } from '../local/folder/document-folder.ts';
import { documentOf, seenDocuments } from '../local/folder/list-documents.ts';
import { checkUpload } from '../local/folder/uploads.ts';
import { withinMs } from '../local/folder/watch.ts';
import type { LibraryLog } from '../local/index/log.ts';
import { type IndexedLibrary, openIndexedLibrary } from '../local/indexed-library.ts';
import type { StoreLocation } from '../storage/open-store.ts';
import { openSharedReader } from './reader.ts';
import { sharedIndex } from './shared-index.ts';

export interface SharedLibraryOptions {
  folder: DocumentFolder;
  index: StoreLocation;
  /** Only one server at a time holds the lease of the index. */
  leases: Sweeps;
  /** The lease time. A server tries to get the lease twice in this time. */
  leaseMs: number;
  /** Called at the first use. If it fails, that use fails with its error. */
  openEmbedder: () => Promise<Embedder>;
  openReader: () => DocumentReader;
  log: LibraryLog;
  /** Runs before the first walk of the folder. */
  prepare?: () => Promise<unknown>;
}

export interface SharedLibrary extends Library {
  /** From now on, this server indexes the documents if no other server does. */
  watch(): void;
  isOpen(): boolean;
}

// After this time, an upload returns even if the document is not indexed yet. Indexing continues.
const INDEXED_WITHIN_MS = 30_000;
const REMOVED_WITHIN_MS = 10_000;
const FIRST_WAIT_MS = 10_000;
const LOOK_EVERY_MS = 300;

/** Does nothing before its first use. */
export function openSharedLibrary(options: SharedLibraryOptions): SharedLibrary {
  const { folder, index, leases, leaseMs, openEmbedder, openReader, log, prepare } = options;
  const reader = openSharedReader({ location: index, openEmbedder, log });
  const closing = new AbortController();
  let indexer: IndexedLibrary | undefined;
  let watching: Promise<void> | undefined;

  async function watch(): Promise<void> {
    let failure: string | undefined;
    while (!closing.signal.aborted) {
      try {
        await leases.runExclusively(leaseName(index), indexUntil);
        failure = undefined;
      } catch (err) {
        if (String(err) !== failure) log.warn({ err }, 'the lease of the index could not be requested');
        failure = String(err);
      }
      await pause(leaseMs / 2, closing.signal);
    }
  }

  async function indexUntil(lost: AbortSignal): Promise<void> {
    const storage = sharedIndex(index, lost);
    const parts = { folder, index: storage, openEmbedder, reader: openReader(), log };
    const mine = openIndexedLibrary({ ...parts, ...(prepare && { prepare }) });
    indexer = mine;
    try {
      log.info({ index: index.text }, 'this server indexes the documents');
      mine.watch();
      await aborted(AbortSignal.any([lost, closing.signal]));
    } finally {
      indexer = undefined;
      await mine.close();
    }
    if (!closing.signal.aborted) log.warn({ index: index.text }, 'another server indexes the documents');
  }

  /** Waits until the document is indexed or the time is up. Returns its state; undefined if it was deleted. */
  async function indexed(name: string): Promise<Document | undefined> {
    const end = performance.now() + INDEXED_WITHIN_MS;
    for (;;) {
      const trouble = await indexer?.look(name).catch(leftTo(closing.signal));
      if (trouble) throw trouble.error;
      const found = await folder.look(name);
      if (!found) return undefined;
      const entry = (await reader.catalog(true))?.find(name);
      if (entry?.stamp === found.stamp) return documentOf(entry);
      if (performance.now() > end) return onItsWay(found);
      await pause(LOOK_EVERY_MS, closing.signal);
      if (closing.signal.aborted) throw new SkeinError('SHUTTING_DOWN');
    }
  }

  return {
    watch() {
      watching ??= watch();
    },
    isOpen: reader.isOpen,
    async add(name, content, onSaved) {
      checkUpload(name, content);
      const created = await folder.write(name, content);
      await onSaved?.();
      const document = await indexed(name);
      if (!document) throw new SkeinError('DOCUMENT_NOT_FOUND');
      return { document, created };
    },
    async remove(name) {
      if (!isDocumentName(name) || !(await folder.remove(name))) return false;
      const end = performance.now() + REMOVED_WITHIN_MS;
      while (performance.now() < end && !closing.signal.aborted) {
        await indexer?.look(name).catch(leftTo(closing.signal));
        if (!(await reader.catalog(true))?.find(name) || (await folder.look(name))) break;
        await pause(LOOK_EVERY_MS, closing.signal);
      }
      return true;
    },
    async documents() {
      // If this server indexes, its indexer knows what failed and why.
      const own = await indexer?.documents().catch(leftTo(closing.signal));
      if (own) return own;
      const [walk, catalog] = await Promise.all([folder.walk(), reader.catalog(true)]);
      return seenDocuments(walk, catalog);
    },
    read: async (name) => (await folder.read(name))?.bytes,
    async search(query, searching) {
      if (!(await reader.catalog()) && indexer) {
        await withinMs(FIRST_WAIT_MS, indexer.scan()).catch(leftTo(closing.signal));
        await reader.catalog(true);
      }
      return reader.search(query, searching);
    },
    async close() {
      closing.abort();
      await watching;
      await reader.close();
    },
  };
}

function leaseName({ text }: StoreLocation): string {
  return `index ${text}`;
}

/** Losing the lease is not a failure, because the next server continues the work. */
function leftTo(closing: AbortSignal) {
  return (error: unknown): undefined => {
    const isLost = error instanceof SkeinError && error.code === 'SHUTTING_DOWN';
    if (!isLost || closing.aborted) throw error;
    return undefined;
  };
}

function onItsWay({ name, bytes, modified }: Found): Document {
  return { name, state: 'indexing', chunks: 0, bytes, updatedAt: modified };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) return;
  const timer = setTimeout(resolve, ms);
  const stop = () => resolve();
  signal.addEventListener('abort', stop, { once: true });
  await promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  });
}
