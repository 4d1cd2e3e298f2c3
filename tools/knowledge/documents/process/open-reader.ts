/** Opens the document reader: each document is read in a separate process, so that hostile input affects nothing else. */
import { SkeinError } from '../../../../state/errors.ts';
import { openPool } from '../../../processes/pool.ts';
import type { ChunkedDocument } from '../chunk.ts';
import { ENDINGS, type Ending, endingOf } from '../file-extensions.ts';
import { type DocumentReader, UnreadableDocument } from '../reader.ts';
import { type Child, startChild } from './child.ts';

export interface ReaderOptions {
  /** Of a file. */
  maxBytes?: number;
  /** Of a document's text. */
  maxCharacters?: number;
  /** Bytes of an unpacked archive, such as a .docx. */
  maxInflated?: number;
  /** Passages of a document. */
  maxChunks?: number;
  /** Seconds of processor time that reading a document may take. */
  readSeconds?: number;
  /** Bytes of resident memory per process. */
  maxMemory?: number;
  /** Documents that are read at the same time. */
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

/** Processes start with the first document, are reused for the next one, and end after some idle time. */
export function openReader(options: ReaderOptions = {}): DocumentReader {
  const { maxBytes, readSeconds, maxMemory, processes, ...bounds } = { ...DEFAULTS, ...options };
  const places: Place[] = Array.from({ length: processes }, () => ({}));
  const pool = openPool(places, { jobs: 'documents', maxWaiting: Number.POSITIVE_INFINITY });
  let closed = false;

  async function childFor(place: Place): Promise<Child> {
    clearTimeout(place.idle);
    if (place.child?.fit()) return place.child;
    await place.child?.end();
    if (closed) throw new SkeinError('SHUTTING_DOWN');
    place.child = startChild(maxMemory);
    return place.child;
  }

  const readInto: DocumentReader['readInto'] = async (take, name, bytes, signal) => {
    const ending = readableEnding(name, bytes, maxBytes);
    return pool.use(async (place) => {
      const child = await childFor(place);
      try {
        const task = { name, ending, bytes: bytes.byteLength, seconds: readSeconds, bounds };
        await child.read(task, bytes, { signal, take });
      } finally {
        if (OWN_PROCESS.has(ending)) void child.end();
        else place.idle = setTimeout(() => void child.end(), IDLE_MS);
        place.idle?.unref();
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
      for (const { idle } of places) clearTimeout(idle);
      await Promise.all(places.map(({ child }) => child?.end(new SkeinError('SHUTTING_DOWN'))));
    },
  };
}

interface Place {
  child?: Child;
  idle?: ReturnType<typeof setTimeout>;
}

const IDLE_MS = 5_000;

// Parsers are large, and a process that a document has compromised must not see the next document. A start takes 60 ms.
const OWN_PROCESS: ReadonlySet<Ending> = new Set(['.pdf', '.docx', '.xlsx', '.eml']);

function readableEnding(name: string, { byteLength }: Uint8Array, maxBytes: number): Ending {
  const ending = endingOf(name);
  if (!ending) throw new UnreadableDocument(`Its name must end in one of ${ENDINGS.join(', ')}`);
  if (byteLength === 0) throw new UnreadableDocument('It is empty');
  if (byteLength > maxBytes)
    throw new UnreadableDocument(`It is larger than ${maxBytes} bytes: split it into several documents`);
  return ending;
}
