/** Why one attempt at a provider failed, in our own words: a provider's text never travels further than this. */

export type Failure =
  /** No answer: refused, reset, unknown host, redirected. */
  | 'unreachable'
  /** An HTTP status that is not a success. */
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

  constructor(failure: Failure, message: string, details: Partial<ProviderError> = {}) {
    super(message, { cause: details.cause });
    this.failure = failure;
    this.status = details.status;
    this.retryAfter = details.retryAfter;
    this.retryable = details.retryable ?? (failure === 'unreachable' || failure === 'malformed');
    this.unsupported = details.unsupported;
  }

  /** A provider that answers, if only with a refusal, is not down. */
  get meansDown(): boolean {
    return this.failure === 'unreachable' || (this.status !== undefined && this.status >= 500);
  }
}

/** Any error of the client library as a ProviderError. */
export function toProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const cause = findProviderError(error);
  if (cause) return cause;
  const { status, headers, code, message, name } = (error ?? {}) as Record<string, unknown>;
  if (typeof status === 'number') {
    const text = `${code ?? ''} ${message ?? ''}`;
    const retryable = RETRYABLE.has(status) || status >= 500;
    return new ProviderError('status', `the provider answered ${status}`, {
      cause: error,
      status,
      retryable: retryable && !/insufficient_quota|billing/i.test(text),
      retryAfter: retryAfterOf(headers),
      unsupported: unsupportedPart(status, text),
    });
  }
  if (name === 'SyntaxError') return new ProviderError('malformed', 'the provider sent broken JSON', { cause: error });
  return new ProviderError('unreachable', 'the provider cannot be reached', { cause: error });
}

const RETRYABLE = new Set([408, 409, 425, 429]);

/** The client library wraps what its `fetch` throws. */
function findProviderError(error: unknown): ProviderError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof ProviderError) return at;
  return undefined;
}

function unsupportedPart(status: number, text: string): ProviderError['unsupported'] {
  if (status !== 400 && status !== 404 && status !== 422 && status !== 501) return undefined;
  if (/response_format|json_schema|structured.?output/i.test(text)) return 'response_format';
  return /\btool|function/i.test(text) ? 'tools' : undefined;
}

/** `Retry-After` in seconds or as a date, or the OpenAI variant in milliseconds. */
function retryAfterOf(headers: unknown): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  const milliseconds = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds;
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const seconds = Number(value);
  const wait = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}
