/** Blobs of one container as prompt files need them: small, whole, with conditions, and every request bounded in time. */
import type { ContainerClient, Metadata } from '@azure/storage-blob';
import { MAX_PROMPT_BYTES } from '../store.ts';

export interface Blob {
  bytes: Uint8Array;
  etag: string;
  metadata: Record<string, string>;
  modified: Date;
}

export type ListedBlob = Pick<Blob, 'metadata' | 'modified'> & { name: string; size: number };

/** Names are without the prefix. Failures are thrown as the client gives them: `blobReason` says what may be told. */
export interface Blobs {
  /** `unchanged` where it still has the tag; undefined if there is none. */
  get(name: string, etag?: string): Promise<Blob | 'unchanged' | undefined>;
  /** Puts it in the place of what has the tag, or if there is none; undefined where something else is there. */
  put(name: string, blob: Pick<Blob, 'bytes' | 'metadata'>, replaces?: string): Promise<string | undefined>;
  list(prefix: string): Promise<ListedBlob[]>;
  remove(name: string): Promise<void>;
}

// Of one operation, all tries of the client included.
const OPERATION_MS = 5_000;

export function openBlobs(container: ContainerClient, prefix: string): Blobs {
  let ready: Promise<void> | undefined;

  /** The container is made if there is none, once; an account that may not do so finds it there or says so itself. */
  async function made(): Promise<void> {
    ready ??= container.createIfNotExists({ abortSignal: AbortSignal.timeout(OPERATION_MS) }).then(
      () => {},
      (error) => {
        if (statusOf(error) === 403) return;
        ready = undefined;
        throw error;
      },
    );
    await ready;
  }

  async function operation<T>(work: (abortSignal: AbortSignal) => Promise<T>): Promise<T> {
    await made();
    return work(AbortSignal.timeout(OPERATION_MS));
  }

  const blob = (name: string) => container.getBlockBlobClient(prefix + name);

  return {
    get: (name, etag) =>
      operation(async (abortSignal) => {
        const conditions = etag === undefined ? {} : { ifNoneMatch: etag };
        const found = await blob(name)
          .download(0, undefined, { abortSignal, conditions })
          .catch(expecting({ 304: 'unchanged', 404: undefined } as const));
        if (found === undefined || found === 'unchanged') return found;
        const { contentLength = 0, metadata = {}, lastModified = new Date(0) } = found;
        if (contentLength > MAX_PROMPT_BYTES) {
          (found.readableStreamBody as { destroy?(): void } | undefined)?.destroy?.();
          throw new TooLarge(`larger than ${MAX_PROMPT_BYTES} bytes`);
        }
        const chunks = await Array.fromAsync(found.readableStreamBody ?? []);
        const bytes = new Uint8Array(Buffer.concat(chunks.map((chunk) => Buffer.from(chunk))));
        return { bytes, etag: found.etag ?? '', metadata, modified: lastModified };
      }),
    put: (name, { bytes, metadata }, replaces) =>
      operation(async (abortSignal) => {
        const conditions = replaces === undefined ? { ifNoneMatch: '*' } : { ifMatch: replaces };
        const blobHTTPHeaders = { blobContentType: 'text/plain; charset=utf-8' };
        const options = { abortSignal, conditions, metadata: metadata as Metadata, blobHTTPHeaders };
        const put = await blob(name)
          .upload(bytes, bytes.byteLength, options)
          .catch(expecting({ 409: undefined, 412: undefined } as const));
        return put?.etag;
      }),
    list: (under) =>
      operation(async (abortSignal) => {
        const pages = container.listBlobsFlat({ abortSignal, prefix: prefix + under, includeMetadata: true });
        const found = await Array.fromAsync(pages);
        return found.map(({ name, metadata = {}, properties }) => ({
          name: name.slice(prefix.length),
          metadata,
          size: properties.contentLength ?? 0,
          modified: properties.lastModified,
        }));
      }),
    async remove(name) {
      await operation((abortSignal) => blob(name).deleteIfExists({ abortSignal }));
    },
  };
}

class TooLarge extends Error {}

/** The service's or the system's code; nothing of what it says in words, which may name hosts. */
export function blobReason(error: unknown): string {
  if (error instanceof TooLarge) return error.message;
  if (!(error instanceof Error)) return 'unexpected';
  if (error.name === 'AbortError' || error.name === 'TimeoutError')
    return `no answer within ${OPERATION_MS / 1000} s`;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && /^\w{1,64}$/.test(code)) return code;
  const status = statusOf(error);
  return status === undefined ? 'unexpected' : `status ${status}`;
}

function statusOf(error: unknown): number | undefined {
  return (error as { statusCode?: number } | undefined)?.statusCode;
}

/** What an answer of the service with one of these statuses means. */
function expecting<A>(meanings: Record<number, A>): (error: unknown) => A {
  return (error) => {
    const status = statusOf(error);
    // A container that is gone is a failure of the storage, not a file that is not there.
    const isOfContainer = String((error as { code?: unknown }).code).startsWith('Container');
    if (status === undefined || isOfContainer || !(status in meanings)) throw error;
    return meanings[status] as A;
  };
}
