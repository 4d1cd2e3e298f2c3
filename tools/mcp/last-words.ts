/** The last lines of a program's standard error, for the log, without its secrets. */

const MAX_CHARACTERS = 1_000;
const SHORTEST_SECRET = 4;

export interface LastWords {
  /** Resolves when the stream ends. */
  read(stream: ReadableStream<Uint8Array>): Promise<void>;
  text(): string;
}

export function lastWords(secrets: readonly string[]): LastWords {
  const hidden = secrets.filter(({ length }) => length >= SHORTEST_SECRET);
  const decoder = new TextDecoder();
  let output = '';
  return {
    async read(stream) {
      // Keep more than is shown, so that a secret that the truncation has split is not shown.
      for await (const piece of stream)
        output = (output + decoder.decode(piece, { stream: true })).slice(-KEPT);
    },
    text: () =>
      hidden.reduce((shown, secret) => shown.replaceAll(secret, '[redacted]'), output).slice(-MAX_CHARACTERS),
  };
}

const KEPT = 4 * MAX_CHARACTERS;
