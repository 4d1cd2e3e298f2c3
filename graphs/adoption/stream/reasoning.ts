/** Extracts the reasoning from a chunk of a model's message, in the formats of LangChain's packages. */
import type { Answer } from './graph-handler.ts';

type Json = Record<string, unknown>;

export function reasoningIn({ content, additional_kwargs = {} }: Answer = {}): string {
  const blocks = Array.isArray(content) ? content.map(ofBlock) : [];
  return (
    blocks.join('') || textIn(additional_kwargs.reasoning_content) || summaryIn(additional_kwargs.reasoning)
  );
}

/** LangChain's own block, and Anthropic's. */
function ofBlock({ type, reasoning, thinking }: Json): string {
  if (type === 'reasoning') return textIn(reasoning);
  return type === 'thinking' ? textIn(thinking) : '';
}

/** From OpenAI's Responses API. */
function summaryIn(reasoning: unknown): string {
  const { summary } = (reasoning ?? {}) as { summary?: unknown };
  return Array.isArray(summary) ? summary.map(({ text }: Json) => textIn(text)).join('') : '';
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
