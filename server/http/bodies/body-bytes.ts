/** Reads the bytes of request bodies: into limited memory, as a stream, or to discard them. */
import { SkeinError } from '../../../state/errors.ts';
import type { BodyMemory } from './body-memory.ts';

// Bodies up to this size are not counted: a connection's headers may be as large, and the streaming reader costs more memory.
const UNCOUNTED_BYTES = 4_096;

/**
 * Returns the whole body. Throws PAYLOAD_TOO_LARGE if its actual or announced size exceeds `limit` bytes, and OVERLOADED if
 * the bodies of all connections take too much memory.
 */
export async function readBytes(request: Request, limit: number, memory: BodyMemory): Promise<Uint8Array> {
  rejectAnnounced(request, limit);
  if (!request.body) return new Uint8Array();
  const announced = request.headers.get('content-length');
  if (announced !== null && Number(announced) <= UNCOUNTED_BYTES)
    return new Uint8Array(await request.arrayBuffer());
  const reservation = memory.open();
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of chunksOf(request, limit, reservation.evicted)) {
      reservation.reserve(chunk.byteLength);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    reservation.release();
  }
}

/** Reads the body to its end, discards it and returns null. Throws PAYLOAD_TOO_LARGE. */
export async function skipBytes(request: Request, limit: number): Promise<null> {
  rejectAnnounced(request, limit);
  for await (const _ of chunksOf(request, limit));
  return null;
}

/**
 * Streams the body. Throws PAYLOAD_TOO_LARGE if the announced length exceeds `limit`; the consumer must limit the actual
 * length. If the consumer stops early, the rest is not read, and `onEnd` is not called.
 */
export function streamBody(request: Request, limit: number, onEnd: () => void): AsyncIterable<Uint8Array> {
  rejectAnnounced(request, limit);
  return withEnd(request, onEnd);
}

async function* withEnd(request: Request, onEnd: () => void): AsyncGenerator<Uint8Array> {
  yield* chunksOf(request);
  onEnd();
}

// `for await` over the body itself would cancel it at an early exit, and Bun then delays the response.
async function* chunksOf(
  { body }: Request,
  limit = Number.POSITIVE_INFINITY,
  evicted?: Promise<never>,
): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  const read = () => (evicted ? Promise.race([reader.read(), evicted]) : reader.read());
  let bytes = 0;
  for (let next = await read(); !next.done; next = await read()) {
    bytes += next.value.byteLength;
    if (bytes > limit) throw tooLarge(limit);
    yield next.value;
  }
}

function rejectAnnounced(request: Request, limit: number): void {
  const announced = request.headers.get('content-length');
  if (announced !== null && Number(announced) > limit) throw tooLarge(limit);
}

function tooLarge(limit: number): SkeinError {
  return new SkeinError('PAYLOAD_TOO_LARGE', { detail: `body: at most ${limit} bytes` });
}
