/** The library of a folder. This process writes its index and follows the folder. */
import { SkeinError } from '../../../state/errors.ts';
import type { DocumentReader } from '../documents/reader.ts';
import type { Embedder } from '../embedding/embedder.ts';
import type { Library } from '../library.ts';
import { type DocumentFolder, isDocumentName } from './folder/document-folder.ts';
import { documentOf, listDocuments } from './folder/list-documents.ts';
import type { Trouble } from './folder/trouble.ts';
import { checkUpload } from './folder/uploads.ts';
import { watchFolder } from './folder/watch.ts';
import { openWorker, type Progress } from './folder/worker.ts';
import type { LibraryLog } from './index/log.ts';
import type { Index } from './index/open-index.ts';
import { asQuestion, type Question, search } from './search/search.ts';

/** Where an index is stored, for the one process that writes it. */
export interface IndexStorage {
  /** The log message when the index is reopened because its files were replaced. */
  missing: string;
  /** Throws CONFIGURATION_ERROR if another process has the index open. */
  hold(): void;
  open(made: Made): Promise<Index>;
  /** Deletes the index and creates an empty one. */
  renew(made: Made): Promise<Index>;
  release(): void;
}

interface Made {
  embedder: Embedder;
  log: LibraryLog;
}

export interface IndexedLibraryOptions {
  folder: DocumentFolder;
  index: IndexStorage;
  /** Called at the first use. If it fails, that use fails with its error. */
  openEmbedder: () => Promise<Embedder>;
  /** Closed with the library. */
  reader: DocumentReader;
  log: LibraryLog;
  /** Runs before the first walk of the folder. */
  prepare?: () => Promise<unknown>;
  onProgress?: (progress: Progress) => void;
}

export interface IndexedLibrary extends Library {
  /**
   * Follows the folder from now on, even without searches. Throws CONFIGURATION_ERROR if another process has
   * the index open.
   */
  watch(): void;
  /** Whether it has been used, and its folders existed at that time. */
  isOpen(): boolean;
  /** Resolves when everything in the folder is indexed. */
  scan(): Promise<void>;
  /** Deletes the index. Resolves when it is rebuilt. */
  rebuild(): Promise<void>;
  /** Resolves when the document has been examined, with the reason if it could not be indexed. */
  look(name: string): Promise<Trouble | undefined>;
  /** Entries of the folder that are not documents, with the reason. */
  skipped(): ReadonlyMap<string, string>;
}

// Limits how often an index is rebuilt, because its files may not be the cause of the failure.
const REBUILT_AT_MOST_EVERY_MS = 300_000;

/** Does nothing before its first use. */
export function openIndexedLibrary(options: IndexedLibraryOptions): IndexedLibrary {
  const { folder, index: storage, reader, log, onProgress } = options;
  let opening: Promise<void> | undefined;
  let opened: Index | undefined;
  let rebuiltAt = Number.NEGATIVE_INFINITY;
  let closed = false;

  const worker = openWorker({ index: current, folder, reader, log, onProgress });
  const watch = watchFolder({ folder, index, worker, log });

  function current(): Index {
    if (!opened) throw new Error('the index is not open');
    return opened;
  }

  async function index(): Promise<Index> {
    if (closed) throw new SkeinError('SHUTTING_DOWN');
    if ((await opened?.isThere()) === false) await reopen(storage.open, storage.missing);
    await openOnce(openFirst);
    return current();
  }

  /** After a failure, the next use tries again. */
  async function openOnce(open: () => Promise<Index>): Promise<void> {
    opening ??= open().then(
      (index) => {
        opened = index;
      },
      (error) => {
        opening = undefined;
        throw error;
      },
    );
    await opening;
  }

  async function openFirst(): Promise<Index> {
    storage.hold();
    await options.prepare?.();
    // A read-only folder can still be searched.
    await folder.sweep().catch((err) => log.warn({ err }, 'unfinished uploads could not be removed'));
    return storage.open({ embedder: await options.openEmbedder(), log });
  }

  async function reopen(open: IndexStorage['open'], why: string): Promise<void> {
    const before = opened;
    await worker.inTurn(async () => {
      if (!before || opened !== before) return;
      log.warn({}, why);
      opened = undefined;
      opening = undefined;
      await openOnce(async () => {
        await worker.read();
        before.close();
        return open({ embedder: before.embedder, log });
      });
      worker.forgive();
      watch.restarted();
    });
  }

  async function find(question: Question) {
    await index();
    return worker.reading(() => search({ ...current(), hidden: worker.hidden() }, question));
  }

  async function learn(): Promise<void> {
    const { known } = await index();
    await worker.reading(() => known.vocabulary());
  }

  /** Examines a document without a walk, because a walk that began before the change may have seen the old file. */
  async function look(name: string): Promise<void> {
    const found = await folder.look(name);
    return worker.look({ name, bytes: found?.bytes ?? 0, urgency: 0 });
  }

  async function documents() {
    await watch.settled();
    const { catalog } = await index();
    return listDocuments({ catalog, walk: watch.newest(), worker });
  }

  return {
    watch() {
      storage.hold();
      watch.start();
      // Otherwise, the first question would wait for the vocabulary. Errors are ignored, because the first question reports
      // them.
      void watch
        .settled()
        .then(learn)
        .catch(() => {});
    },
    isOpen: () => opened !== undefined,
    async scan() {
      await index();
      await watch.scan();
      await worker.inTurn(() => current().passages.upkeep('idle'));
    },
    async rebuild() {
      await index();
      await reopen(storage.renew, 'the index is being rebuilt');
      await watch.scan();
    },
    async look(name) {
      await index();
      await look(name);
      return worker.troubleOf(name);
    },
    skipped: () => watch.newest().skipped,
    async add(name, content, onSaved) {
      checkUpload(name, content);
      await index();
      const created = await folder.write(name, content);
      await onSaved?.();
      await look(name);
      const trouble = worker.troubleOf(name);
      if (trouble) throw trouble.error;
      const entry = (await index()).catalog.find(name);
      // The document was removed in the meantime.
      if (!entry) throw new SkeinError('DOCUMENT_NOT_FOUND');
      return { document: documentOf(entry), created };
    },
    async remove(name) {
      if (!isDocumentName(name)) return false;
      await index();
      const removed = await folder.remove(name);
      await look(name);
      return removed;
    },
    documents,
    read: async (name) => (await folder.read(name))?.bytes,
    async search(query, searching = {}) {
      const { embedder } = await index();
      const question = await asQuestion(embedder, query, searching);
      await abortable(watch.settled(), searching.signal);
      const before = opened;
      return await find(question)
        .catch((error) => again(error, { question, before }))
        .finally(() => searching.signal?.throwIfAborted());
    },
    async close() {
      closed = true;
      const stopped = watch.stop();
      await opening?.catch(() => {});
      await stopped;
      await worker.close();
      await reader.close();
      opened?.close();
      storage.release();
    },
  };

  async function again(
    err: unknown,
    { question, before }: { question: Question; before: Index | undefined },
  ) {
    if (opened !== before) return find(question);
    if (closed || Date.now() - rebuiltAt < REBUILT_AT_MOST_EVERY_MS) throw err;
    rebuiltAt = Date.now();
    log.warn({ err }, 'the index cannot be searched');
    await reopen(storage.renew, 'the index is being rebuilt');
    await watch.settled();
    return find(question);
  }
}

/** Rejects when the signal aborts. The work continues. */
async function abortable<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work;
  work.catch(() => {});
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort));
}
