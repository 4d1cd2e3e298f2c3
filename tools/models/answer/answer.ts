/** Assembles a model's answer from the documents of the response. */
import { isQuotaExhausted, ProviderError } from '../errors/provider-error.ts';
import { providerWords } from '../errors/provider-words.ts';
import type { TokenUsage } from '../usage/tokens.ts';

export interface Answer {
  text: string;
  toolCalls: ToolCall[];
  /** The provider's finish reason: `stop`, `tool_calls`, or `length` for an answer that reached the requested length. */
  finish: string;
  /** The usage that the provider reports; undefined if it reports none or an implausible one. */
  usage: TokenUsage | undefined;
}

export interface ToolCall {
  /** The provider's id; generated if the provider sends none. */
  id: string;
  name: string;
  /** The JSON text that the model wrote; '' if there are no arguments. */
  arguments: string;
}

/** The part of an answer that has arrived since the previous part. */
export interface AnswerPart {
  text: string;
  /** The model's reasoning before the text; not part of the answer. */
  reasoning?: string;
  toolCalls: ToolCallPiece[];
}

/** A piece of the arguments of call number `index`. The first piece has the id. */
interface ToolCallPiece {
  index: number;
  id?: string;
  name?: string;
  arguments: string;
}

export interface AnswerParts {
  /** Adds a chunk of a stream or a whole completion. Throws a ProviderError, or what `onPart` throws. */
  add(json: string): void;
  /** The whole answer. Throws a ProviderError if it is incomplete. */
  whole(): Answer;
  /** What has arrived so far, complete or not; undefined before the first part. */
  soFar(): Omit<Answer, 'finish'> | undefined;
}

export interface Wanted {
  /** If false, tool calls don't count as an answer. */
  tools: boolean;
  /** Whether an answer that ends at a length limit is complete. */
  short: boolean;
  /** The API key, which no error may repeat. */
  secret?: string | undefined;
}

export function gatherAnswer(wanted: Wanted, onPart?: (part: AnswerPart) => void): AnswerParts {
  let begun = false;
  let text = '';
  const toolCalls = new Map<number, ToolCall>();
  let finish: string | undefined;
  let usage: TokenUsage | undefined;

  function add(json: string): void {
    const part = parsed(json);
    if (part.error) throw brokenOff(part.error, wanted.secret);
    begun = true;
    if (part.usage) usage = sensible(record(part.usage));
    const choice = record(list(part.choices)[0]);
    if (typeof choice.finish_reason === 'string') finish = choice.finish_reason;
    const message = record(choice.delta ?? choice.message);
    const added = list(message.tool_calls).map(addToolCall);
    const content = textIn(message.content);
    text += content;
    const reasoning = reasoningIn(message);
    if (content === '' && added.length === 0 && reasoning === '') return;
    onPart?.({ text: content, toolCalls: added, ...(reasoning !== '' && { reasoning }) });
  }

  /** Only uses the first id and name, because some providers repeat them with each piece. */
  function addToolCall(sent: unknown, position: number): ToolCallPiece {
    const { id, index, function: called } = record(sent);
    const { name, arguments: more } = record(called);
    const at = typeof index === 'number' ? index : position;
    const known = toolCalls.get(at);
    const call = known ?? { id: textIn(id) || `call_${crypto.randomUUID()}`, name: '', arguments: '' };
    const piece: ToolCallPiece = { index: at, arguments: textIn(more) };
    if (!known) piece.id = call.id;
    if (call.name === '' && textIn(name) !== '') piece.name = textIn(name);
    call.name = piece.name ?? call.name;
    call.arguments += piece.arguments;
    toolCalls.set(at, call);
    return piece;
  }

  return {
    add,
    soFar: () => (begun ? { text, toolCalls: [...toolCalls.values()], usage } : undefined),
    whole() {
      if (finish === undefined) throw new ProviderError('malformed', "the provider's answer was cut off");
      if (CUT.has(finish) || (TOO_LONG.has(finish) && !(wanted.short && text !== '')))
        throw new ProviderError('incomplete', `the provider stopped the answer early (${finish})`);
      if (BROKEN.has(finish)) throw new ProviderError('malformed', 'the provider aborted the answer');
      const calls = [...toolCalls.values()];
      if (text.trim() === '' && !(wanted.tools && calls.some(({ name, ...call }) => name + call.arguments))) {
        throw new ProviderError('malformed', "the provider's answer is empty");
      }
      return { text, toolCalls: calls, finish: TOO_LONG.has(finish) ? 'length' : finish, usage };
    },
  };
}

// The finish reasons of incomplete answers: OpenAI's `length` and `content_filter`, and those of Mistral, OpenRouter, vLLM and
// DeepSeek.
const TOO_LONG = new Set(['length', 'max_tokens', 'model_length']);
const CUT = new Set(['content_filter']);
const BROKEN = new Set(['error', 'abort', 'insufficient_system_resource']);

function parsed(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The error below covers both cases.
  }
  throw new ProviderError('malformed', 'the provider sent invalid JSON');
}

function brokenOff(error: unknown, secret: string | undefined): ProviderError {
  return new ProviderError('malformed', 'the provider sent an error instead of an answer', {
    retryable: !isQuotaExhausted(record(error)),
    said: providerWords(record(error).message ?? error, secret),
  });
}

/** Anything that isn't an object counts as an object without properties. */
function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** DeepSeek, vLLM and others use the first field; OpenRouter and newer servers use the second. */
function reasoningIn({ reasoning_content, reasoning }: Record<string, unknown>): string {
  return textIn(reasoning_content) || textIn(reasoning);
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

// Larger than every context window. A larger number is an error of the provider, and would break sums and budgets.
const MAX_TOKENS = 100_000_000;

function sensible(usage: Record<string, unknown>): TokenUsage | undefined {
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = usage;
  // Every call has input, so 0 means that the provider didn't count the tokens.
  if (!isCount(prompt_tokens) || prompt_tokens === 0 || !isCount(completion_tokens)) return undefined;
  const { cached_tokens } = record(prompt_tokens_details);
  const isCached = isCount(cached_tokens) && cached_tokens > 0;
  return {
    inputTokens: prompt_tokens,
    outputTokens: completion_tokens,
    ...(isCached && { cachedTokens: Math.min(cached_tokens, prompt_tokens) }),
  };
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_TOKENS;
}
