/** Examines queued documents, a group at a time. It is the only writer of the index. */
import { SkeinError } from '../../../../state/errors.ts';
import type { DocumentReader } from '../../documents/reader.ts';
import type { Entry } from '../index/catalog.ts';
import type { LibraryLog } from '../index/log.ts';
import type { Index } from '../index/open-index.ts';
import type { DocumentFolder } from './document-folder.ts';
import { ingest } from './ingest.ts';
import { type Job, openJobs } from './jobs.ts';
import { sentenceOf, type Trouble } from './trouble.ts';

export interface Progress {
  /** The number of examined documents since the queue was last empty. */
  documents: number;
  /** The number of documents that are not finished. */
  remaining: number;
  passages: number;
}

export interface Worker {
  /** Resolves when the document has been examined. */
  look(job: Job): Promise<void>;
  isWaiting(name: string): boolean;
  /** Why the document could not be indexed although it may be readable. Indexing is retried. */
  troubleOf(name: string): Trouble | undefined;
  /** Removes the data of deleted documents that no search uses any longer, and maintains the table. */
  tidy(): Promise<void>;
  /** Runs `work` while no group is in progress. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** The time at which the current work began; undefined while idle. */
  busySince(): number | undefined;
  /** Revisions that are being written or removed. */
  hidden(): number[];
  /** Delays removals until `read` is done. */
  reading<T>(read: () => Promise<T>): Promise<T>;
  /** Resolves when all reads that began earlier are done. */
  read(): Promise<unknown>;
  /** Forgets why documents could not be indexed, so that they are retried immediately. */
  forgive(): void;
  close(): Promise<void>;
}

interface Parts {
  index: () => Index;
  folder: DocumentFolder;
  reader: DocumentReader;
  log: LibraryLog;
  onProgress?: ((progress: Progress) => void) | undefined;
}

export function openWorker({ index, folder, reader, log, onProgress }: Parts): Worker {
  const jobs = openJobs();
  const hidden = new Set<number>();
  const troubles = new Map<string, Trouble>();
  const readings = new Set<Promise<unknown>>();
  const closing = new AbortController();
  let turns: Promise<unknown> = Promise.resolve();
  let since: number | undefined;
  let done = { documents: 0, passages: 0 };

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = turns.then(work);
    turns = turn.catch(() => {});
    return turn;
  }

  function report(): void {
    onProgress?.({ ...done, remaining: jobs.remaining() });
  }

  async function workOff(group: readonly Job[]): Promise<void> {
    if (group.length === 0) return;
    const names = group.map(({ name }) => name);
    const onPassages = (count: number) => {
      done = { ...done, passages: done.passages + count };
      report();
    };
    try {
      const at = index();
      const work = { index: at, folder, reader, hidden, onPassages, signal: closing.signal };
      const reasons = new Map(names.map((name) => [name, at.catalog.find(name)?.error]));
      const failures = await ingest(names, work);
      for (const [name, before] of reasons) complain(at.catalog.find(name), before);
      // Clear errors only now: a caller that waited for the previous examination may be about to read its result.
      for (const name of names) if (!failures.has(name)) endTrouble(name);
      for (const [name, error] of failures) trouble(name, error);
      await removeStale(at);
      await at.passages.upkeep('busy');
    } catch (error) {
      for (const name of names) trouble(name, error);
    } finally {
      done = { ...done, documents: done.documents + group.length };
      jobs.done(group);
      report();
    }
  }

  /** Logs the reason once, however often the document is retried. */
  function complain(entry: Entry | undefined, before: string | null | undefined): void {
    if (!entry || entry.error === null || entry.error === before) return;
    log.warn({ document: entry.name, reason: entry.error }, 'a document cannot be read');
  }

  function trouble(name: string, err: unknown): void {
    if (closing.signal.aborted) return;
    const before = troubles.get(name);
    const now = { error: err, at: Date.now() };
    troubles.set(name, now);
    tellOthers(name, sentenceOf(now));
    if (String(before?.error) === String(err)) return;
    log.warn({ err, document: name }, 'a document could not be indexed; it will be retried');
  }

  function endTrouble(name: string): void {
    if (troubles.delete(name)) tellOthers(name, undefined);
  }

  /** Tells other processes. If the catalog itself fails, they notice that themselves. */
  function tellOthers(name: string, sentence: string | undefined): void {
    try {
      index().catalog.keepTrouble(name, sentence);
    } catch (err) {
      log.warn({ err }, 'the catalog of the index cannot be written');
    }
  }

  async function removeStale({ catalog, passages }: Index): Promise<void> {
    const stale = catalog.removable();
    if (stale.length === 0) return;
    await Promise.allSettled(readings);
    await passages.remove(stale);
    await catalog.purge(stale);
  }

  async function run(): Promise<void> {
    while (jobs.waiting() > 0) await inTurn(() => workOff(jobs.take()));
    since = undefined;
    done = { documents: 0, passages: 0 };
  }

  return {
    async look(job) {
      closing.signal.throwIfAborted();
      const looked = jobs.add(job);
      if (since === undefined) {
        since = Date.now();
        void run();
      }
      await looked;
    },
    isWaiting: jobs.has,
    troubleOf: (name) => troubles.get(name),
    tidy: () =>
      inTurn(async () => {
        await removeStale(index());
        await index().passages.upkeep('idle');
      }),
    inTurn,
    busySince: () => since,
    hidden: () => [...hidden, ...index().catalog.stale()],
    async reading(read) {
      const reading = read();
      readings.add(reading);
      return reading.finally(() => readings.delete(reading));
    },
    read: () => Promise.allSettled(readings),
    forgive() {
      for (const name of [...troubles.keys()]) endTrouble(name);
    },
    async close() {
      const reason = new SkeinError('SHUTTING_DOWN');
      closing.abort(reason);
      jobs.abandon(reason);
      await turns;
    },
  };
}
