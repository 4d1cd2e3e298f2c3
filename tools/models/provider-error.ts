/** Why one attempt at a provider failed, in our own words: a provider's text never travels further than this file. */
import { causesOf } from '../../state/errors.ts';
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
  /** Which part of the request the provider does not know, where it says so. */
  readonly unsupported: 'response_format' | 'tools' | undefined;
  /** What the attempt cost all the same, where the provider had begun to answer. */
  usage: TokenUsage | undefined;

  constructor(failure: Failure, message: string, details: Partial<ProviderError> = {}) {
    super(message);
    this.failure = failure;
    this.status = details.status;
    this.retryAfter = details.retryAfter;
    this.retryable = details.retryable ?? (failure === 'unreachable' || failure === 'malformed');
    this.unsupported = details.unsupported;
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
    return new ProviderError(this.failure, this.message, { status: this.status, retryable: false });
  }

  /** A provider that answers, if only with a refusal, is not down. */
  get meansDown(): boolean {
    if (this.status !== undefined) return this.status >= 500;
    return this.failure === 'unreachable' || this.failure === 'timeout';
  }
}

/** What the client library threw, as a ProviderError. The original is not kept as the cause: it quotes the provider. */
export function toProviderError(error: unknown): ProviderError {
  let code = '';
  for (const at of causesOf(error)) {
    if (!(at instanceof Error)) break;
    if (at instanceof ProviderError) return at;
    const refusal: Refusal = at;
    if (typeof refusal.status === 'number') return refused(refusal.status, refusal);
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
}

// Such as ECONNREFUSED. Codes of the platform, not of the provider: those come with a status.
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{2,40}$/;
const RETRYABLE = new Set([408, 409, 425, 429]);

function refused(status: number, refusal: Refusal): ProviderError {
  const unsupported = unsupportedPart(status, wordsOf(refusal));
  const passing = (RETRYABLE.has(status) || status >= 500) && unsupported === undefined;
  return new ProviderError('status', `the provider answered ${status}`, {
    status,
    retryable: passing && !isQuotaExhausted(refusal),
    retryAfter: retryAfterOf(refusal.headers),
    unsupported,
  });
}

function wordsOf({ code, type, param, message }: Refusal): string {
  return [code, type, param, message].filter((part) => typeof part === 'string').join(' ');
}

function unsupportedPart(status: number, words: string): ProviderError['unsupported'] {
  if (status !== 400 && status !== 404 && status !== 422 && status !== 501) return undefined;
  // Such an error tells how many tokens the messages, the tools and the schema have.
  if (/context.?length/i.test(words)) return undefined;
  if (/response_format|json_schema|json_object|structured.?output/i.test(words)) return 'response_format';
  return /\btools?\b|\btool_choice\b|\bfunction/i.test(words) ? 'tools' : undefined;
}

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
