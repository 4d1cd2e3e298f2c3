/** Token counts: a quick estimate for bounds, and a tokenizer where a provider reports no usage. */
import { loadTokenizer, type Tokenizer } from './tokenizer.ts';

export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
  /** Of the input, what the provider had in its cache. */
  cachedTokens?: number;
}

interface Message {
  content: string;
}

// English text has about four bytes a token, and so has text in other scripts in UTF-8: near enough for a bound.
const BYTES_PER_TOKEN = 4;
// What the chat format adds to each message.
const TOKENS_PER_MESSAGE = 4;

export function estimateTextTokens(text: string): number {
  return tokensInBytes(Buffer.byteLength(text));
}

export function tokensInBytes(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

export function estimateTokens(messages: Message[]): number {
  return messages.reduce((sum, { content }) => sum + estimateTextTokens(content) + TOKENS_PER_MESSAGE, 0);
}

/** Counts with the o200k tokenizer, loaded at the first use: it is large, and most providers report usage. */
export async function countTokens(messages: Message[], answer: string): Promise<TokenUsage> {
  tokenizer ??= loadTokenizer();
  const { count } = await tokenizer;
  const input = messages.map(({ content }) => content);
  return {
    inputTokens: countSample(count, input) + messages.length * TOKENS_PER_MESSAGE,
    outputTokens: countSample(count, [answer]),
  };
}

let tokenizer: Promise<Tokenizer> | undefined;

// The worst text of this length takes 22 ms on the event loop, English 2 ms.
const SAMPLE = 10_000;

/** Of texts that are longer together, the beginning of each is counted, and the rest taken to be like it. */
function countSample(count: Tokenizer['count'], texts: string[]): number {
  const total = texts.reduce((sum, { length }) => sum + length, 0);
  const share = Math.min(1, SAMPLE / total);
  const tokens = texts.reduce((sum, text) => sum + count(text.slice(0, Math.ceil(text.length * share))), 0);
  return total === 0 ? 0 : Math.round(tokens / share);
}
