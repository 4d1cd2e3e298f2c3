/** What a program said last on its standard error, for the log: without what was given to it as a secret. */

const MOST_CHARACTERS = 1_000;
const SHORTEST_SECRET = 4;

export interface LastWords {
  /** Resolves with the end of the stream. */
  read(stream: ReadableStream<Uint8Array>): Promise<void>;
  text(): string;
}

export function lastWords(secrets: readonly string[]): LastWords {
  const hidden = secrets.filter(({ length }) => length >= SHORTEST_SECRET);
  const decoder = new TextDecoder();
  let said = '';
  return {
    async read(stream) {
      // What is cut in the middle of a secret is cut off with the rest.
      for await (const piece of stream) said = (said + decoder.decode(piece, { stream: true })).slice(-KEPT);
    },
    text: () =>
      hidden.reduce((shown, secret) => shown.replaceAll(secret, '[redacted]'), said).slice(-MOST_CHARACTERS),
  };
}

const KEPT = 4 * MOST_CHARACTERS;
