/** Why one attempt at a provider failed, in our own words; of the provider's a line without keys. */
import { causesOf } from '../../state/errors.ts';
import { providerWords } from './provider-words.ts';
import type { TokenUsage } from './tokens.ts';

export type Failure =
  /** No answer: refused, reset, unknown host. */
  | 'unreachable'
  /** No whole answer in the time that the model is given. */
  | 'timeout'
  /** An HTTP status that is not a success; a redirect is one. */
  | 'status'
  /** An answer that is none: broken JSON, no choices, cut off, nothing said. */
  | 'malformed'
  /** The answer was cut at a length limit or by a content filter: asking again gives the same. */
  | 'incomplete';

export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly failure: Failure;
  readonly status: number | undefined;
  /** Milliseconds that the provider asked to wait. */
  readonly retryAfter: number | undefined;
  /** Whether the same request may succeed when it is sent again. */
  readonly retryable: boolean;
  /** Which part of the request the provider does not know; `unnamed` where it may be one, and it does not say which. */
  readonly unsupported: 'response_format' | 'tools' | 'unnamed' | undefined;
  /** What the provider says of it. */
  readonly said: string | undefined;
  /** Whether the input is longer than the model's context. */
  readonly tooLong: boolean;
  /** What the attempt cost all the same, where the provider had begun to answer. */
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

  /** With the provider's own words. */
  get sentence(): string {
    return this.said === undefined ? this.message : `${this.message}: ${this.said}`;
  }

  /** Of a request that was too long, how long it was. */
  withTokens(sent: number): ProviderError {
    const message = `the input is longer than the model's context (${sent} tokens were sent)`;
    return new ProviderError(this.failure, message, this);
  }

  /** Which setting of the model is probably wrong. */
  get setting(): 'api_key' | 'base_url' | 'model' | undefined {
    if (this.failure === 'unreachable') return 'base_url';
    if (this.status === 401 || this.status === 403) return 'api_key';
    if (this.status === 404) return 'model';
    return this.status !== undefined && this.status >= 300 && this.status < 400 ? 'base_url' : undefined;
  }

  /** The same failure, which is not to be tried again. */
  asLast(): ProviderError {
    const { status, said, tooLong } = this;
    return new ProviderError(this.failure, this.message, { status, said, tooLong, retryable: false });
  }

  /** A provider that answers, if only with a refusal, is not down. */
  get meansDown(): boolean {
    if (this.status !== undefined) return this.status >= 500;
    return this.failure === 'unreachable' || this.failure === 'timeout';
  }
}

/**
 * What the client library threw, as a ProviderError. The original is not kept as the cause: it quotes the provider whole.
 * `secret` is the key that was sent.
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

/** Whether a provider's own error says that the account has run out: asking again cannot help. */
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
  /** The error as it came. */
  error?: unknown;
}

// Such as ECONNREFUSED. Codes of the platform, not of the provider: those come with a status.
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

// OpenAI's code, and what vLLM, llama.cpp, Ollama, Mistral, Anthropic, Groq, Together and LM Studio say.
const TOO_LONG =
  /context.?length|context.?(?:window|size)|maximum (?:context|model|prompt) len|prompt is too long|too many (?:input )?tokens|input (?:is|length|tokens?).{0,40}(?:too long|exceed)|exceeds? the (?:model'?s? )?(?:maximum|available) (?:context|number of (?:input )?tokens)|reduce the length of the (?:messages|prompt|input)/i;
const TOO_LONG_STATUS = new Set([400, 413, 422, 500]);

/** The client library puts the status before the provider's message, and something of its own where there is none. */
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

// What servers say of fields that they do not know, and of schemas that they cannot follow.
const NOT_KNOWN =
  /\bjson\b|\bschema\b|\bgrammar\b|\bguided\b|(?:\bun|\bnot )supported|(?:unknown|unrecognized|unexpected|extra) (?:fields?|keys?|param\w*|arg\w*|inputs?|propert\w+|request)/i;

/** `Retry-After` in seconds or as a date, or the OpenAI variant in milliseconds. */
function retryAfterOf(headers: unknown): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  const milliseconds = Number(headers.get('retry-after-ms') || Number.NaN);
  if (milliseconds >= 0) return milliseconds;
  const value = headers.get('retry-after') || undefined;
  if (value === undefined) return undefined;
  const seconds = Number(value);
  const wait = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}
