/** Reads the text of a response as it arrives, and always releases the connection. */
import { ProviderError } from '../errors/provider-error.ts';

interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/**
 * Passes on each piece with the number of bytes read so far, until `onText` returns true to stop.
 * Throws what `onText` throws, or a ProviderError if the connection breaks or is aborted.
 */
export async function readText(
  body: ReadableStream<Uint8Array>,
  onText: (text: string, bytes: number) => boolean,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (let bytes = 0; ; ) {
      const { value, done } = await next(reader);
      if (done || !value) return;
      bytes += value.byteLength;
      if (onText(decoder.decode(value, { stream: true }), bytes)) return finish(reader);
    }
  } catch (error) {
    letGo(reader);
    throw error;
  }
}

async function next(reader: Reader) {
  try {
    return await reader.read();
  } catch {
    throw new ProviderError('unreachable', 'the connection to the provider broke');
  }
}

// How long a body may take to end after its last text.
const END_MS = 1_000;

/** Reads the end of the body, which may be a separate packet, because the connection is only reused after that. */
function finish(reader: Reader): void {
  const timer = setTimeout(letGo, END_MS, reader);
  reader
    .read()
    .then(
      ({ done }) => done || letGo(reader),
      () => {},
    )
    .finally(() => clearTimeout(timer));
}

function letGo(reader: Reader): void {
  // Ignore errors: the connection may already be broken.
  reader.cancel().catch(() => {});
}
