/** Blobs of a container for prompt files: small, read and written whole, with conditions and timeouts. */
import type { ContainerClient, Metadata } from '@azure/storage-blob';
import { MAX_PROMPT_BYTES } from '../store.ts';

export interface Blob {
  bytes: Uint8Array;
  etag: string;
  metadata: Record<string, string>;
  modified: Date;
}

type ListedBlob = Pick<Blob, 'metadata' | 'modified'> & { name: string; size: number };

/** Names exclude the prefix. Throws the client's errors: `blobReason` returns the part that may be shown. */
export interface Blobs {
  /** `unchanged` if it still has the tag; undefined if it doesn't exist. */
  get(name: string, etag?: string): Promise<Blob | 'unchanged' | undefined>;
  /** Replaces the blob with the tag, or creates a missing one; undefined if the blob has changed. */
  put(name: string, blob: Pick<Blob, 'bytes' | 'metadata'>, replaces?: string): Promise<string | undefined>;
  list(prefix: string): Promise<ListedBlob[]>;
  remove(name: string): Promise<void>;
}

// Per operation, including the client's retries.
const OPERATION_MS = 5_000;

export function openBlobs(container: ContainerClient, prefix: string): Blobs {
  let ready: Promise<void> | undefined;

  /** Creates a missing container, once; for an account without that permission it must exist, or the error reports it. */
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

/** The service's or the system's code, without its message, which may name hosts. */
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

/** Maps response statuses to results. */
function expecting<A>(meanings: Record<number, A>): (error: unknown) => A {
  return (error) => {
    const status = statusOf(error);
    // A missing container is a storage failure, unlike a missing file.
    const isOfContainer = String((error as { code?: unknown }).code).startsWith('Container');
    if (status === undefined || isOfContainer || !(status in meanings)) throw error;
    return meanings[status] as A;
  };
}
