/** How many texts go to an embedding endpoint at a time, and how much of each. */
import { estimateTextTokens } from '../../models/tokens.ts';

// What text-embeddings-inference takes by default; OpenAI takes 2048. An answer of 32 long vectors is read in 6 ms.
const MAX_TEXTS = 32;
// Of a batch; a passage has 200.
const MAX_TOKENS = 8_000;
// Models read 512 to 8192 tokens, and many refuse more.
const MAX_BYTES_OF_TEXT = 24_000;

/** In the order of the texts. */
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

/** As much of a text as a model reads; of an empty one a space, since an empty one is refused. */
export function cut(text: string): string {
  if (text === '') return ' ';
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_BYTES_OF_TEXT) return text.toWellFormed();
  // A character that was cut in two comes out as one that stands for it.
  return bytes
    .subarray(0, MAX_BYTES_OF_TEXT)
    .toString()
    .replace(/\ufffd+$/, '');
}
