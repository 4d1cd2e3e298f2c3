/** Opens the document reader: each document is read in a separate process, so that hostile input affects nothing else. */
import { SkeinError } from '../../../../state/errors.ts';
import { openPool } from '../../../processes/pool.ts';
import type { ChunkedDocument } from '../chunk.ts';
import { ENDINGS, type Ending, endingOf } from '../file-extensions.ts';
import { type DocumentReader, UnreadableDocument } from '../reader.ts';
import { type Child, startChild } from './child.ts';

export interface ReaderOptions {
  /** The maximum size of a file, in bytes. */
  maxBytes?: number;
  /** The maximum length of a document's text, in characters. */
  maxCharacters?: number;
  /** The maximum size of an unpacked archive, such as a .docx, in bytes. */
  maxInflated?: number;
  /** The maximum number of passages per document. */
  maxChunks?: number;
  /** The maximum processor time for reading a document, in seconds. */
  readSeconds?: number;
  /** The maximum resident memory per process, in bytes. */
  maxMemory?: number;
  /** The number of documents that are read at the same time. */
  processes?: number;
}

const MIB = 1024 * 1024;

const DEFAULTS = {
  maxBytes: 20 * MIB,
  maxCharacters: 24 * MIB,
  maxInflated: 100 * MIB,
  maxChunks: 10_000,
  readSeconds: 30,
  maxMemory: 512 * MIB,
  processes: 2,
};

/** A process starts with the first document, is reused for the next ones, and ends after some idle time. */
export function openReader(options: ReaderOptions = {}): DocumentReader {
  const { maxBytes, readSeconds, maxMemory, processes, ...bounds } = { ...DEFAULTS, ...options };
  const slots: Slot[] = Array.from({ length: processes }, () => ({}));
  const pool = openPool(slots, { jobs: 'documents', maxWaiting: Number.POSITIVE_INFINITY });
  let closed = false;

  async function childFor(slot: Slot): Promise<Child> {
    clearTimeout(slot.idle);
    if (slot.child?.fit()) return slot.child;
    await slot.child?.end();
    if (closed) throw new SkeinError('SHUTTING_DOWN');
    slot.child = startChild(maxMemory);
    return slot.child;
  }

  const readInto: DocumentReader['readInto'] = async (take, name, bytes, signal) => {
    const ending = readableEnding(name, bytes, maxBytes);
    return pool.use(async (slot) => {
      const child = await childFor(slot);
      try {
        const task = { name, ending, bytes: bytes.byteLength, seconds: readSeconds, bounds };
        await child.read(task, bytes, { signal, take });
      } finally {
        if (OWN_PROCESS.has(ending)) void child.end();
        else slot.idle = setTimeout(() => void child.end(), IDLE_MS);
        slot.idle?.unref();
      }
    }, signal);
  };

  return {
    readInto,
    async read(name, bytes, signal) {
      const document: ChunkedDocument = { chunks: [], parents: [] };
      await readInto(
        async ({ chunks, parents }) => {
          document.chunks.push(...chunks);
          document.parents.push(...parents);
        },
        name,
        bytes,
        signal,
      );
      return document;
    },
    async close() {
      closed = true;
      pool.close();
      for (const { idle } of slots) clearTimeout(idle);
      await Promise.all(slots.map(({ child }) => child?.end(new SkeinError('SHUTTING_DOWN'))));
    },
  };
}

interface Slot {
  child?: Child;
  idle?: ReturnType<typeof setTimeout>;
}

const IDLE_MS = 5_000;

// Parsers use much memory, and a process that a document has compromised must not see later documents. Starting takes 60 ms.
const OWN_PROCESS: ReadonlySet<Ending> = new Set(['.pdf', '.docx', '.xlsx', '.eml']);

function readableEnding(name: string, { byteLength }: Uint8Array, maxBytes: number): Ending {
  const ending = endingOf(name);
  if (!ending) throw new UnreadableDocument(`Its name must end in one of ${ENDINGS.join(', ')}`);
  if (byteLength === 0) throw new UnreadableDocument('It is empty');
  if (byteLength > maxBytes)
    throw new UnreadableDocument(`It is larger than ${maxBytes} bytes: split it into several documents`);
  return ending;
}
