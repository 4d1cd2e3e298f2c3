/**
 * Why an attempt at a provider failed: the service's own message and at most one line of the provider's message, without keys.
 */
import { causesOf } from '../../../state/errors.ts';
import type { TokenUsage } from '../usage/tokens.ts';
import { providerWords } from './provider-words.ts';

export type Failure =
  /** No connection: refused, reset, unknown host. */
  | 'unreachable'
  /** No complete answer within the model's timeout. */
  | 'timeout'
  /** An HTTP status other than success, including redirects. */
  | 'status'
  /** An invalid answer: broken JSON, no choices, cut off, empty. */
  | 'malformed'
  /** The answer was cut off by a length limit or a content filter, so a retry would have the same result. */
  | 'incomplete';

export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly failure: Failure;
  readonly status: number | undefined;
  /** The delay that the provider requested, in milliseconds. */
  readonly retryAfter: number | undefined;
  /** Whether a retry of the same request may succeed. */
  readonly retryable: boolean;
  /**
   * The part of the request that the provider does not support; `unnamed` if there may be such a part, but the error doesn't
   * name it.
   */
  readonly unsupported: 'response_format' | 'tools' | 'unnamed' | undefined;
  /** The provider's message. */
  readonly said: string | undefined;
  /** Whether the input exceeds the model's context. */
  readonly tooLong: boolean;
  /** The usage of the attempt if the provider had begun to answer. */
  usage: TokenUsage | undefined;

  constructor(failure: Failure, message: string, details: Partial<ProviderError> = {}) {
    super(message);
    this.failure = failure;
    this.status = details.status;
    this.retryAfter = details.retryAfter;
    this.retryable = details.retryable ?? (failure === 'unreachable' || failure === 'malformed');
    this.unsupported = details.unsupported;
    this.said = details.said;
    this.tooLong = details.tooLong ?? false;
  }

  /** The message, followed by the provider's message. */
  get sentence(): string {
    return this.said === undefined ? this.message : `${this.message}: ${this.said}`;
  }

  /** The same failure with the length of the input in the message, for input that is too long. */
  withTokens(sent: number): ProviderError {
    const message = `the input is longer than the model's context (${sent} tokens were sent)`;
    return new ProviderError(this.failure, message, this);
  }

  /** The setting of the model that is probably wrong. */
  get setting(): 'api_key' | 'base_url' | 'model' | undefined {
    if (this.failure === 'unreachable') return 'base_url';
    if (this.status === 401 || this.status === 403) return 'api_key';
    if (this.status === 404) return 'model';
    return this.status !== undefined && this.status >= 300 && this.status < 400 ? 'base_url' : undefined;
  }

  /** The same failure, marked as not retryable. */
  asLast(): ProviderError {
    const { status, said, tooLong } = this;
    return new ProviderError(this.failure, this.message, { status, said, tooLong, retryable: false });
  }

  /** Whether the failure means that the provider is down. A provider that rejects a request is not down. */
  get meansDown(): boolean {
    if (this.status !== undefined) return this.status >= 500;
    return this.failure === 'unreachable' || this.failure === 'timeout';
  }
}

/**
 * Converts errors of the client library. The original is not kept as the cause because it quotes the whole response.
 * `secret` is the API key.
 */
export function toProviderError(error: unknown, secret?: string): ProviderError {
  let code = '';
  for (const at of causesOf(error)) {
    if (!(at instanceof Error)) break;
    if (at instanceof ProviderError) return at;
    const refusal: Refusal = at;
    if (typeof refusal.status === 'number') return refused(refusal.status, refusal, secret);
    if (typeof refusal.code === 'string' && SYSTEM_CODE.test(refusal.code)) code = ` (${refusal.code})`;
  }
  return new ProviderError('unreachable', `the provider cannot be reached${code}`);
}

/** Whether the provider reports exhausted credit, so that a retry cannot help. */
export function isQuotaExhausted(error: Refusal): boolean {
  return /insufficient.?quota|billing_(hard_limit|not_active)|credit balance/i.test(wordsOf(error));
}

export interface Refusal {
  status?: unknown;
  headers?: unknown;
  code?: unknown;
  type?: unknown;
  param?: unknown;
  message?: unknown;
  /** The original error. */
  error?: unknown;
}

// Codes of the operating system, such as ECONNREFUSED. Errors with a code of the provider also have a status.
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{2,40}$/;
const RETRYABLE = new Set([408, 409, 425, 429]);

function refused(status: number, refusal: Refusal, secret: string | undefined): ProviderError {
  const message = messageOf(status, refusal);
  const words = wordsOf({ ...refusal, message });
  const tooLong = TOO_LONG_STATUS.has(status) && TOO_LONG.test(words);
  const unsupported = tooLong ? undefined : unsupportedPart(status, words);
  const passing = (RETRYABLE.has(status) || status >= 500) && unsupported === undefined && !tooLong;
  const reason = tooLong ? "the input is longer than the model's context" : `the provider answered ${status}`;
  return new ProviderError('status', reason, {
    status,
    retryable: passing && !isQuotaExhausted(refusal),
    retryAfter: retryAfterOf(refusal.headers),
    unsupported,
    tooLong,
    said: providerWords(message, secret),
  });
}

// OpenAI's code, and the messages of vLLM, llama.cpp, Ollama, Mistral, Anthropic, Groq, Together and LM Studio.
const TOO_LONG =
  /context.?length|context.?(?:window|size)|maximum (?:context|model|prompt) len|prompt is too long|too many (?:input )?tokens|input (?:is|length|tokens?).{0,40}(?:too long|exceed)|exceeds? the (?:model'?s? )?(?:maximum|available) (?:context|number of (?:input )?tokens)|reduce the length of the (?:messages|prompt|input)/i;
const TOO_LONG_STATUS = new Set([400, 413, 422, 500]);

/**
 * Removes what the client library adds to the provider's message: the status, or a text of its own if the message is missing.
 */
function messageOf(status: number, { error, message }: Refusal): unknown {
  if (typeof error === 'object' && error !== null) return (error as Refusal).message;
  if (typeof message !== 'string' || message.endsWith('status code (no body)')) return undefined;
  return message.startsWith(`${status} `) ? message.slice(4) : message;
}

function wordsOf({ code, type, param, message }: Refusal): string {
  return [code, type, param, message].filter((part) => typeof part === 'string').join(' ');
}

function unsupportedPart(status: number, words: string): ProviderError['unsupported'] {
  if (status !== 400 && status !== 404 && status !== 422 && status !== 501) return undefined;
  if (/response_format|json_schema|json_object|structured.?output/i.test(words)) return 'response_format';
  if (/\btools?\b|\btool_choice\b|\bfunction/i.test(words)) return 'tools';
  return words.trim() === '' || NOT_KNOWN.test(words) ? 'unnamed' : undefined;
}

// Words in messages of servers about unknown fields and unsupported schemas.
const NOT_KNOWN =
  /\bjson\b|\bschema\b|\bgrammar\b|\bguided\b|(?:\bun|\bnot )supported|(?:unknown|unrecognized|unexpected|extra) (?:fields?|keys?|param\w*|arg\w*|inputs?|propert\w+|request)/i;

/** The milliseconds from `Retry-After`, in seconds or as a date, or from OpenAI's variant in milliseconds. */
function retryAfterOf(headers: unknown): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  const milliseconds = Number(headers.get('retry-after-ms') || Number.NaN);
  if (milliseconds >= 0 && Number.isFinite(milliseconds)) return milliseconds;
  const value = headers.get('retry-after') || undefined;
  if (value === undefined) return undefined;
  const seconds = Number(value);
  const wait = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}
