/** Token counts: a quick estimate for bounds, and a tokenizer where a provider reports no usage. */
import type { WireMessage } from './endpoint.ts';

// English text has about four bytes a token, and so has text in other scripts in UTF-8: near enough for a bound.
const BYTES_PER_TOKEN = 4;
// What the chat format adds to each message.
const TOKENS_PER_MESSAGE = 4;

export function estimateTextTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

export function estimateTokens(messages: WireMessage[]): number {
  return messages.reduce((sum, { content }) => sum + estimateTextTokens(content) + TOKENS_PER_MESSAGE, 0);
}

/** Counts with the o200k tokenizer, loaded at the first use: it is large, and most providers report usage. */
export async function countTokens(
  messages: WireMessage[],
  answer: string,
): Promise<{ inputTokens: number; outputTokens: number }> {
  tokenizer ??= loadTokenizer();
  const { encode } = await tokenizer;
  const inputTokens = messages.reduce((sum, { content }) => sum + count(encode, content) + TOKENS_PER_MESSAGE, 0);
  return { inputTokens, outputTokens: count(encode, answer) };
}

type Encode = (text: string) => number[];

let tokenizer: Promise<{ encode: Encode }> | undefined;

async function loadTokenizer(): Promise<{ encode: Encode }> {
  const [{ Tiktoken }, ranks] = await Promise.all([
    import('js-tiktoken/lite'),
    import('js-tiktoken/ranks/o200k_base'),
  ]);
  const o200k = new Tiktoken(ranks.default);
  return { encode: (text) => o200k.encode(text, [], []) };
}

// The tokenizer takes quadratic time on long runs of one letter: a longer text is counted by its beginning.
const SAMPLE = 20_000;

function count(encode: Encode, text: string): number {
  if (text.length <= SAMPLE) return encode(text).length;
  return Math.round((encode(text.slice(0, SAMPLE)).length * text.length) / SAMPLE);
}
