/** Token counts: a quick estimate for limits, and a tokenizer for providers that report no usage. */
import { loadTokenizer, type Tokenizer } from './tokenizer.ts';

export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
  /** The part of the input that was in the provider's cache. */
  cachedTokens?: number;
}

interface Message {
  content: string;
}

// English text has about four bytes per token, and so does other text in UTF-8. This is accurate enough for a limit.
const BYTES_PER_TOKEN = 4;
// The overhead of the chat format per message.
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

/**
 * Counts with the o200k tokenizer. It is only loaded at first use, because it is large, and most providers report the usage.
 */
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

// Counting the worst text of this length blocks the event loop for 22 ms; English text, for 2 ms.
const SAMPLE = 10_000;

/** If the texts are longer in total, counts the beginning of each and extrapolates. */
function countSample(count: Tokenizer['count'], texts: string[]): number {
  const total = texts.reduce((sum, { length }) => sum + length, 0);
  const share = Math.min(1, SAMPLE / total);
  const tokens = texts.reduce((sum, text) => sum + count(text.slice(0, Math.ceil(text.length * share))), 0);
  return total === 0 ? 0 : Math.round(tokens / share);
}
