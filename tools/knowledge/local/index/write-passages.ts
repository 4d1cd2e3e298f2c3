/** Writes the passages of documents as they are read, so that only the latest passages of each document are in memory. */
import type { ChunkedDocument } from '../../documents/chunk.ts';
import { type DocumentReader, UnreadableDocument } from '../../documents/reader.ts';
import type { Entry } from './catalog.ts';
import { collector } from './collector.ts';
import type { Index } from './open-index.ts';
import { bodyOf, type Row } from './rows.ts';

interface Parts {
  index: Index;
  reader: DocumentReader;
  onPassages(count: number): void;
  signal: AbortSignal;
}

export interface Writing {
  /** Returns the updated entry. If a failure is not caused by the document, removes what it has written and throws. */
  write(entry: Entry, bytes: Uint8Array): Promise<Entry>;
  /** Resolves when everything is in the table. Throws if the index could not be written, now or earlier. */
  end(): Promise<void>;
}

const WRITTEN_AT_ONCE = 256;

export function openWriting({ index, reader, onPassages, signal }: Parts): Writing {
  const { catalog, passages, embedder } = index;
  let rows: Row[] = [];
  const collect = collector();
  let turn: Promise<unknown> = Promise.resolve();
  let broken: { cause: unknown } | undefined;

  /** Documents are read concurrently, but their parts are written one after another. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  }

  async function keep(revision: number, { chunks, parents }: ChunkedDocument): Promise<void> {
    const vectors = chunks.length > 0 ? await embedder.embed(chunks.map(bodyOf), 'passage', signal) : [];
    if (vectors.length !== chunks.length) throw new Error('the embedder returned too few vectors');
    await inIndex(async () => {
      await catalog.keepParents(revision, parents);
      for (const [at, vector] of vectors.entries()) {
        const chunk = chunks[at];
        if (chunk) rows.push({ revision, chunk, vector });
      }
      if (rows.length >= WRITTEN_AT_ONCE) await flush();
    });
  }

  async function flush(): Promise<void> {
    const some = rows;
    rows = [];
    await passages.add(some);
    onPassages(some.length);
    collect();
  }

  async function inIndex(work: () => Promise<void>): Promise<void> {
    if (broken) throw broken.cause;
    try {
      await work();
    } catch (cause) {
      broken = { cause };
      throw cause;
    }
  }

  function forget(revision: number): void {
    rows = rows.filter((row) => row.revision !== revision);
    catalog.discard(revision);
  }

  return {
    async write(entry, bytes) {
      let count = 0;
      let isBegun = false;
      try {
        const take = (part: ChunkedDocument) => {
          isBegun = true;
          count += part.chunks.length;
          return inTurn(() => keep(entry.revision, part));
        };
        await reader.readInto(take, entry.name, bytes, signal);
        return { ...entry, chunks: count, tries: 0 };
      } catch (error) {
        if (isBegun) forget(entry.revision);
        if (!(error instanceof UnreadableDocument)) throw error;
        return { ...entry, ...retryOf(entry, error), revision: catalog.nextRevision(), error: error.message };
      }
    },
    async end() {
      await inIndex(flush);
    },
  };
}

const FIRST_RETRY_MS = 60_000;
const LAST_RETRY_MS = 6 * 3_600_000;

/** Each retry waits four times as long, so that a document that is always too slow doesn't keep a core busy. */
function retryOf({ tries }: Entry, { mayPass }: UnreadableDocument): Pick<Entry, 'retryAt' | 'tries'> {
  if (!mayPass) return { retryAt: null, tries: 0 };
  return { retryAt: Date.now() + Math.min(FIRST_RETRY_MS * 4 ** tries, LAST_RETRY_MS), tries: tries + 1 };
}
