/** The batches of texts for an embedding endpoint, and the maximum length of each text. */
import { estimateTextTokens } from '../../models/usage/tokens.ts';

// The default limit of text-embeddings-inference; OpenAI accepts 2048. Parsing a response of 32 long vectors takes 6 ms.
const MAX_TEXTS = 32;
// Tokens per batch. A passage has about 200.
const MAX_TOKENS = 8_000;
// Models read 512 to 8192 tokens, and many reject more.
const MAX_BYTES_OF_TEXT = 24_000;

/** The batches, in the order of the texts. */
export function* batchesOf(texts: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let tokens = 0;
  for (const text of texts) {
    const more = estimateTextTokens(text);
    if (batch.length > 0 && (batch.length >= MAX_TEXTS || tokens + more > MAX_TOKENS)) {
      yield batch;
      batch = [];
      tokens = 0;
    }
    batch.push(text);
    tokens += more;
  }
  if (batch.length > 0) yield batch;
}

/** The part of a text that a model reads; a space for an empty text, which providers reject. */
export function cut(text: string): string {
  if (text === '') return ' ';
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_BYTES_OF_TEXT) return text.toWellFormed();
  // A character that was split by the cut decodes to a replacement character.
  return bytes
    .subarray(0, MAX_BYTES_OF_TEXT)
    .toString()
    .replace(/\ufffd+$/, '');
}
