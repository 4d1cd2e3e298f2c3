/** Answers in the encoding that the client prefers: JSON and text that are there whole, never streams. */
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, zstdCompress } from 'node:zlib';
import Negotiator from 'negotiator';

// The quickest first: between those that a client likes as much, this decides.
const ENCODINGS = ['zstd', 'br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

// Below it an answer fits into one packet anyway.
const LEAST_BYTES = 512;
// What takes less than a millisecond; longer texts are compressed by another thread.
const MOST_AT_ONCE_BYTES = 8 * 1024;
// At 4, Brotli is as quick as gzip.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const COMPRESSIBLE = /^(text\/(?!event-stream)|application\/([a-z.-]+\+)?json|image\/svg\+xml)/i;
// Secrets beside something that the caller chose: their length must not tell how alike the two are.
const SECRET = '/api/v1/auth/';

/** The one of these that the client prefers; undefined where it takes none of them. */
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

/** The second argument decides between those that the client likes as much; the package's types do not have it yet. */
type Choose = (available: string[], options: { preferred: readonly string[] }) => string | undefined;

/** The same answer, compressed if that is worth it and its client takes it. */
export async function compressed(request: Request, path: string, response: Response): Promise<Response> {
  const { headers } = response;
  if (!isWhole(response) || path.startsWith(SECRET)) return response;
  headers.append('vary', 'Accept-Encoding');
  const encoding = acceptedEncoding(request, ENCODINGS);
  if (!encoding) return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length < LEAST_BYTES) return new Response(bytes, response);
  const short = bytes.length <= MOST_AT_ONCE_BYTES;
  const packed = short ? AT_ONCE[encoding](bytes) : await ELSEWHERE[encoding](bytes);
  const answer = new Response(new Uint8Array(packed), response);
  answer.headers.set('content-encoding', encoding);
  answer.headers.delete('content-length');
  return answer;
}

/** Text that is no stream, which says so, and that nobody has encoded. */
function isWhole({ headers }: Response): boolean {
  if (headers.has('content-encoding') || headers.get('x-accel-buffering') === 'no') return false;
  return COMPRESSIBLE.test(headers.get('content-type') ?? '');
}

const AT_ONCE: Record<Encoding, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array> = {
  zstd: (bytes) => Bun.zstdCompressSync(bytes),
  br: (bytes) => brotliCompressSync(bytes, BROTLI),
  gzip: (bytes) => Bun.gzipSync(bytes),
};

const [zstdLater, brotliLater, gzipLater] = [
  promisify(zstdCompress),
  promisify(brotliCompress),
  promisify(gzip),
];
const ELSEWHERE: Record<Encoding, (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>> = {
  zstd: (bytes) => zstdLater(bytes),
  br: (bytes) => brotliLater(bytes, BROTLI),
  gzip: (bytes) => gzipLater(bytes),
};
