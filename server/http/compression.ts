/** Compresses JSON and text responses in the encoding that the client prefers. Streams are not compressed. */
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, zstdCompress } from 'node:zlib';
import Negotiator from 'negotiator';

// Fastest first: this order decides between encodings that the client accepts with the same quality.
const ENCODINGS = ['zstd', 'br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

// A shorter response fits into one packet anyway, so compression would cost time and save none.
const MIN_BYTES = 1_400;
// Up to this size, compression takes less than a millisecond. Longer responses are compressed on another thread.
const MAX_SYNC_BYTES = 8 * 1024;
// At quality 4, Brotli is as fast as gzip.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const COMPRESSIBLE = /^(text\/(?!event-stream)|application\/([a-z.-]+\+)?json|image\/svg\+xml)/i;
// Responses with a secret next to text of the caller: their compressed length would leak similarities (the BREACH attack).
const SECRET = '/api/v1/auth/';

/** Returns the available encoding that the client prefers, or undefined if it accepts none of them. */
export function acceptedEncoding<T extends string>(
  { headers }: Request,
  available: readonly T[],
): T | undefined {
  const accepted = headers.get('accept-encoding');
  if (accepted === null) return undefined;
  const negotiator = new Negotiator({ headers: { 'accept-encoding': accepted } });
  const choose: Choose = negotiator.encoding.bind(negotiator);
  const found = choose([...available, 'identity'], { preferred: available });
  return available.find((one) => one === found);
}

/** `preferred` decides between encodings of the same quality. The types of negotiator don't have this argument yet. */
type Choose = (available: string[], options: { preferred: readonly string[] }) => string | undefined;

/** Compresses a response if it is at least 1,400 bytes of JSON or text and the client accepts an encoding. */
export async function compressed(request: Request, path: string, response: Response): Promise<Response> {
  const { headers } = response;
  if (isShort(response) || !isWhole(response) || path.startsWith(SECRET)) return response;
  headers.append('vary', 'Accept-Encoding');
  if (!request.headers.has('accept-encoding')) return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const encoding = bytes.length < MIN_BYTES ? undefined : acceptedEncoding(request, ENCODINGS);
  if (!encoding) return new Response(bytes, response);
  const short = bytes.length <= MAX_SYNC_BYTES;
  const encoded = short ? SYNC[encoding](bytes) : await ASYNC[encoding](bytes);
  const result = new Response(new Uint8Array(encoded), response);
  result.headers.set('content-encoding', encoding);
  result.headers.delete('content-length');
  return result;
}

/** Whether the response has announced a length that isn't worth compression. */
function isShort({ headers }: Response): boolean {
  const length = headers.get('content-length');
  return length !== null && Number(length) < MIN_BYTES;
}

/** Streams set `X-Accel-Buffering: no`. */
function isWhole({ headers }: Response): boolean {
  if (headers.has('content-encoding') || headers.get('x-accel-buffering') === 'no') return false;
  return COMPRESSIBLE.test(headers.get('content-type') ?? '');
}

const SYNC: Record<Encoding, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array> = {
  zstd: (bytes) => Bun.zstdCompressSync(bytes),
  br: (bytes) => brotliCompressSync(bytes, BROTLI),
  gzip: (bytes) => Bun.gzipSync(bytes),
};

const [zstdAsync, brotliAsync, gzipAsync] = [
  promisify(zstdCompress),
  promisify(brotliCompress),
  promisify(gzip),
];
const ASYNC: Record<Encoding, (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>> = {
  zstd: (bytes) => zstdAsync(bytes),
  br: (bytes) => brotliAsync(bytes, BROTLI),
  gzip: (bytes) => gzipAsync(bytes),
};
