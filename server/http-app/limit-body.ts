/** Limits the body of a request to a project's app. */
import { SkeinError } from '../../state/errors.ts';

// Bun's own default. The API has lower limits for its own routes.
const MAX_BYTES = 128 * 2 ** 20;

export interface LimitedBody {
  request: Request;
  /** PAYLOAD_TOO_LARGE if the body exceeded the limit. */
  error(): SkeinError | undefined;
}

export function limitBody(original: Request): LimitedBody {
  if (original.body === null) return { request: original, error: () => undefined };
  const reader = original.body.getReader();
  let bytes = 0;
  let error: SkeinError | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await reader.read();
        bytes += next.value?.byteLength ?? 0;
        if (bytes > MAX_BYTES) {
          error = new SkeinError('PAYLOAD_TOO_LARGE', { detail: `body: at most ${MAX_BYTES} bytes` });
          throw error;
        }
        if (next.value) controller.enqueue(next.value);
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { request: new Request(original, { body }), error: () => error };
}
