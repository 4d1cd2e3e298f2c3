/** Bounds the body of a request to a project's app. */
import { SkeinError } from '../../state/errors.ts';

// Bun's own default. What the API takes is bounded further where it reads it.
const MOST_BYTES = 128 * 2 ** 20;

export interface BoundedBody {
  request: Request;
  /** Set once there was more than may be. */
  refusal(): SkeinError | undefined;
}

export function boundedBody(original: Request): BoundedBody {
  if (original.body === null) return { request: original, refusal: () => undefined };
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
        if (next.value) controller.enqueue(next.value);
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { request: new Request(original, { body }), refusal: () => refusal };
}
