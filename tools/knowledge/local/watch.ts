/** Keeps an index in agreement with its folder: looks at the folder again and again, and at what changed in it. */
import type { Entry } from './catalog.ts';
import type { DocumentFolder, Walk } from './document-folder.ts';
import type { LibraryLog } from './log.ts';
import type { Index } from './open-index.ts';
import type { Worker } from './worker.ts';

export interface Watch {
  /** Walks the folder now; resolves when all that it found changed was looked at. */
  scan(): Promise<void>;
  /** What the newest walk found. */
  newest(): Walk;
  /**
   * Resolves when what changed until a moment ago is indexed, and at the latest some seconds after it began to be: then
   * a question is answered from what there is.
   */
  settled(): Promise<void>;
  /** The index was rebuilt: the next walk counts as the first. */
  restarted(): void;
  start(): void;
  stop(): Promise<void>;
}

interface Walked {
  looked: Promise<void>;
}

interface Parts {
  folder: DocumentFolder;
  /** Opened again where its files are gone. */
  index: () => Promise<Index>;
  worker: Worker;
  log: LibraryLog;
}

// Loading LanceDB holds the event loop for 0.2 s: what waits for the service to start goes first.
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

  /** Gives, once the folder was walked, what is then being looked at. */
  async function walk(): Promise<Walked> {
    const { catalog } = await index();
    walkedAt = Date.now();
    const found = await folder.walk();
    for (const [name, reason] of found.skipped)
      if (newest.skipped.get(name) !== reason) log.warn({ file: name }, `skipped: ${reason}`);
    if (!found.isThere && newest.isThere)
      log.warn({}, 'the folder of the documents is gone, and all of them with it');
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
    // Not everybody who walks waits for it.
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

  /** Once, not every second. */
  function complain(err: unknown): void {
    if (stopped || String(err) === failure) return;
    failure = String(err);
    log.warn({ err }, 'the folder of the documents could not be looked at');
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
      // One that is going on may have passed the place of a change already.
      await walking;
      await (await walkOnce()).looked;
    },
    newest: () => newest,
    async settled() {
      const since = worker.busySince();
      if (!isFirst && since === undefined && Date.now() - walkedAt < folder.walkEveryMs) return;
      const left = (since ?? Date.now()) + (isFirst ? FIRST_WAIT_MS : WAIT_MS) - Date.now();
      if (left <= 0) return;
      const looked = walkOnce().then((walked) => walked.looked);
      await withinMs(left, looked).catch(complain);
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

/** Reading it failed for a reason that may have passed. */
function isDue({ retryAt }: Entry): boolean {
  return retryAt !== null && retryAt <= Date.now();
}

/** Resolves when the work is done or the time is over. */
export async function withinMs(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
