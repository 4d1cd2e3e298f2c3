/** Keeps an index in sync with its folder, by polling the folder and indexing changes. */
import type { Entry } from '../index/catalog.ts';
import type { LibraryLog } from '../index/log.ts';
import type { Index } from '../index/open-index.ts';
import type { DocumentFolder, Walk } from './document-folder.ts';
import type { Worker } from './worker.ts';

export interface Watch {
  /** Walks the folder now. Resolves when all changes that it finds have been examined. */
  scan(): Promise<void>;
  /** The result of the newest walk. */
  newest(): Walk;
  /**
   * Resolves when all changes up to now are indexed, or a few seconds after indexing began. Questions are then answered from
   * the existing index.
   */
  settled(): Promise<void>;
  /** Must be called when the index was rebuilt. The next walk then counts as the first. */
  restarted(): void;
  start(): void;
  stop(): Promise<void>;
}

interface Walked {
  looked: Promise<void>;
}

interface Parts {
  folder: DocumentFolder;
  /** Returns the index, which is reopened if its files are missing. */
  index: () => Promise<Index>;
  worker: Worker;
  log: LibraryLog;
}

// Loading LanceDB blocks the event loop for 0.2 s, so let the service start first.
const FIRST_LOOK_MS = 50;
const WAIT_MS = 2_000;
const FIRST_WAIT_MS = 10_000;
const TRY_AGAIN_MS = 30_000;

export function watchFolder({ folder, index, worker, log }: Parts): Watch {
  let newest: Walk = { isThere: true, documents: new Map(), skipped: new Map() };
  let walking: Promise<Walked> | undefined;
  let walkedAt = Number.NEGATIVE_INFINITY;
  let isFirst = true;
  let failure: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ticking: Promise<void> = Promise.resolve();
  let stopped = false;

  /** Resolves after the walk, with a promise of the work that it started. */
  async function walk(): Promise<Walked> {
    const { catalog } = await index();
    walkedAt = Date.now();
    const found = await folder.walk();
    for (const [name, reason] of found.skipped)
      if (newest.skipped.get(name) !== reason) log.warn({ file: name }, `skipped: ${reason}`);
    if (!found.isThere && newest.isThere) log.warn({}, 'the documents folder no longer exists');
    newest = found;
    const looks: Promise<void>[] = [];
    for (const { name, stamp, bytes } of found.documents.values()) {
      const known = catalog.find(name);
      if (known?.stamp === stamp && !isDue(known) && !worker.troubleOf(name)) continue;
      if (isTroubled(name)) continue;
      looks.push(worker.look({ name, bytes, urgency: known ? 1 : 2 }));
    }
    for (const { name } of catalog.entries())
      if (!found.documents.has(name)) looks.push(worker.look({ name, bytes: 0, urgency: 1 }));
    const looked = Promise.all(looks).then(() => {
      isFirst = false;
    });
    // Not every caller awaits the work.
    looked.catch(() => {});
    return { looked };
  }

  function isTroubled(name: string): boolean {
    const trouble = worker.troubleOf(name);
    return trouble !== undefined && Date.now() - trouble.at < TRY_AGAIN_MS;
  }

  function walkOnce(): Promise<Walked> {
    walking ??= walk().finally(() => {
      walking = undefined;
    });
    return walking;
  }

  /** Logs a failure once, not every second. */
  function complain(err: unknown): void {
    if (stopped || String(err) === failure) return;
    failure = String(err);
    log.warn({ err }, 'the documents folder cannot be read');
  }

  async function tick(): Promise<void> {
    let walking = 0;
    try {
      await index();
      const began = performance.now();
      await walkOnce();
      walking = performance.now() - began;
      if (worker.busySince() === undefined) await worker.tidy();
      failure = undefined;
    } catch (err) {
      complain(err);
    }
    if (stopped) return;
    tickAfter(Math.max(folder.walkEveryMs, walking * folder.restAfterWalk));
  }

  function tickAfter(pause: number): void {
    timer = setTimeout(() => {
      ticking = tick();
    }, pause);
    timer.unref();
  }

  return {
    async scan() {
      // A running walk may already have passed the changed file.
      await walking;
      await (await walkOnce()).looked;
    },
    newest: () => newest,
    async settled() {
      const since = worker.busySince();
      if (!isFirst && since === undefined && Date.now() - walkedAt < folder.walkEveryMs) return;
      const remainingMs = (since ?? Date.now()) + (isFirst ? FIRST_WAIT_MS : WAIT_MS) - Date.now();
      if (remainingMs <= 0) return;
      const looked = walkOnce().then((walked) => walked.looked);
      await withinMs(remainingMs, looked).catch(complain);
    },
    restarted() {
      isFirst = true;
    },
    start() {
      if (timer || stopped) return;
      tickAfter(FIRST_LOOK_MS);
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await ticking;
      await walking?.catch(() => {});
    },
  };
}

/** Whether reading the document failed for a reason that may be temporary, and must be tried again now. */
function isDue({ retryAt }: Entry): boolean {
  return retryAt !== null && retryAt <= Date.now();
}

/** Resolves when the work is done or the time is up. */
export async function withinMs(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
