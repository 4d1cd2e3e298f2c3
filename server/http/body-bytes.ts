/** The bytes of a request's body: kept under a limit and counted over all connections, passed on, or left. */
import { SkeinError } from '../../state/errors.ts';
import type { BodyRoom } from './body-room.ts';

// As much as the headers of a connection may take; the streaming reader costs more than such a body.
const UNCOUNTED_BYTES = 4_096;

/** The whole body. Throws PAYLOAD_TOO_LARGE if its actual or announced size is over the limit, or OVERLOADED. */
export async function readBytes(request: Request, limit: number, room: BodyRoom): Promise<Uint8Array> {
  refuseAnnounced(request, limit);
  if (!request.body) return new Uint8Array();
  const announced = request.headers.get('content-length');
  if (announced !== null && Number(announced) <= UNCOUNTED_BYTES)
    return new Uint8Array(await request.arrayBuffer());
  const held = room.enter();
  try {
    const pieces: Uint8Array[] = [];
    for await (const piece of pieceByPiece(request, limit, held.evicted)) {
      held.take(piece.byteLength);
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  } finally {
    held.leave();
  }
}

/** Reads to the end and keeps nothing: null. Throws PAYLOAD_TOO_LARGE. */
export async function skipBytes(request: Request, limit: number): Promise<null> {
  refuseAnnounced(request, limit);
  for await (const _ of pieceByPiece(request, limit));
  return null;
}

/**
 * The body piece by piece, as it comes; what reads it bounds it. Throws PAYLOAD_TOO_LARGE at once where the announced length
 * is over the limit. A consumer that stops before its end leaves the rest unread.
 */
export function bodyPieces(request: Request, limit: number, onEnd: () => void): AsyncIterable<Uint8Array> {
  refuseAnnounced(request, limit);
  return piecesOf(request, onEnd);
}

async function* piecesOf(request: Request, onEnd: () => void): AsyncGenerator<Uint8Array> {
  yield* pieceByPiece(request);
  onEnd();
}

// Not `for await` over the body itself: that cancels it when it is left, and Bun then holds the answer back.
async function* pieceByPiece(
  { body }: Request,
  limit = Number.POSITIVE_INFINITY,
  ended?: Promise<never>,
): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  const read = () => (ended ? Promise.race([reader.read(), ended]) : reader.read());
  let bytes = 0;
  for (let next = await read(); !next.done; next = await read()) {
    bytes += next.value.byteLength;
    if (bytes > limit) throw tooLarge(limit);
    yield next.value;
  }
}

function refuseAnnounced(request: Request, limit: number): void {
  const announced = request.headers.get('content-length');
  if (announced !== null && Number(announced) > limit) throw tooLarge(limit);
}

function tooLarge(limit: number): SkeinError {
  return new SkeinError('PAYLOAD_TOO_LARGE', { detail: `body: at most ${limit} bytes` });
}
