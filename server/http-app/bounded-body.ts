/** The body of a request to a project's app: bounded, and the connection learns when it has arrived. */
import { SkeinError } from '../../state/errors.ts';

// Bun's own default. What the API takes is bounded further where it reads it.
const MOST_BYTES = 128 * 2 ** 20;
// Read ahead, so that a small body has arrived even if the app never reads it.
const AHEAD_BYTES = 64 * 1024;

export interface BoundedBody {
  request: Request;
  /** Set once there was more than may be. */
  refusal(): SkeinError | undefined;
}

/** `received` is called once the body is there whole. */
export function boundedBody(original: Request, received: () => void): BoundedBody {
  if (original.body === null) {
    received();
    return { request: original, refusal: () => undefined };
  }
  const reader = original.body.getReader();
  let bytes = 0;
  let refusal: SkeinError | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await reader.read();
        bytes += next.value?.byteLength ?? 0;
        if (bytes > MOST_BYTES) {
          refusal = new SkeinError('PAYLOAD_TOO_LARGE', { detail: `body: at most ${MOST_BYTES} bytes` });
          throw refusal;
        }
        if (next.value) return controller.enqueue(next.value);
        received();
        controller.close();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: AHEAD_BYTES }),
  );
  return { request: new Request(original, { body }), refusal: () => refusal };
}
