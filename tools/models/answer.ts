/** Gathers what a model says from the documents of its answer. */
import { isQuotaExhausted, ProviderError } from './provider-error.ts';
import type { TokenUsage } from './tokens.ts';

export interface Answer {
  text: string;
  /** The arguments of the first tool call, where one was made. */
  toolArguments: string | undefined;
  /** As the provider reports it; undefined where it reports none that makes sense. */
  usage: TokenUsage | undefined;
}

export interface AnswerParts {
  /** Adds a chunk of a stream, or a whole completion. Throws a ProviderError, or what `onText` throws. */
  add(json: string): void;
  /** The whole answer. Throws a ProviderError when it is not a whole one. */
  whole(): Answer;
  /** What there is so far, whole or not; undefined before the first part. */
  soFar(): Answer | undefined;
}

/** Without `wantsTool` a tool call is no answer. */
export function gatherAnswer(wantsTool: boolean, onText?: (text: string) => void): AnswerParts {
  let begun = false;
  let text = '';
  let toolArguments: string | undefined;
  let finish: string | undefined;
  let usage: TokenUsage | undefined;

  function add(json: string): void {
    const part = parsed(json);
    if (part.error) throw brokenOff(part.error);
    begun = true;
    if (part.usage) usage = sensible(record(part.usage));
    const choice = record(list(part.choices)[0]);
    if (typeof choice.finish_reason === 'string') finish = choice.finish_reason;
    const said = record(choice.delta ?? choice.message);
    addToolCalls(list(said.tool_calls));
    if (typeof said.content !== 'string' || said.content === '') return;
    text += said.content;
    onText?.(said.content);
  }

  function addToolCalls(calls: unknown[]): void {
    for (const [position, call] of calls.map(record).entries()) {
      if ((call.index ?? position) !== 0) continue;
      const piece = record(call.function).arguments;
      toolArguments = (toolArguments ?? '') + (typeof piece === 'string' ? piece : '');
    }
  }

  return {
    add,
    soFar: () => (begun ? { text, toolArguments, usage } : undefined),
    whole() {
      if (finish === undefined) throw new ProviderError('malformed', "the provider's answer was cut off");
      if (CUT.has(finish))
        throw new ProviderError('incomplete', `the provider stopped the answer early (${finish})`);
      if (BROKEN.has(finish)) throw new ProviderError('malformed', 'the provider broke the answer off');
      if (text.trim() === '' && !(wantsTool && toolArguments)) {
        throw new ProviderError('malformed', "the provider's answer is empty");
      }
      return { text, toolArguments, usage };
    },
  };
}

// Besides OpenAI's own two: what Mistral, OpenRouter, vLLM and DeepSeek add for answers that are not whole.
const CUT = new Set(['length', 'content_filter', 'max_tokens', 'model_length']);
const BROKEN = new Set(['error', 'abort', 'insufficient_system_resource']);

function parsed(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Said below, once for both.
  }
  throw new ProviderError('malformed', 'the provider sent broken JSON');
}

function brokenOff(error: unknown): ProviderError {
  return new ProviderError('malformed', 'the provider sent an error in place of an answer', {
    retryable: !isQuotaExhausted(record(error)),
  });
}

/** Whatever a provider sends in the place of an object is one without properties. */
function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

// Above every context window there is; a larger figure is a provider's fault, and would break sums and budgets.
const MAX_TOKENS = 100_000_000;

function sensible({ prompt_tokens, completion_tokens }: Record<string, unknown>): TokenUsage | undefined {
  // There is no call without an input: 0 says that nobody counted.
  if (!isCount(prompt_tokens) || prompt_tokens === 0 || !isCount(completion_tokens)) return undefined;
  return { inputTokens: prompt_tokens, outputTokens: completion_tokens };
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_TOKENS;
}
