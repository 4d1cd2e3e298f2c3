/** The service's errors as one error class. */
import type { StreamEvent } from '../server/chat/event-stream.ts';

export type ErrorBody = Extract<StreamEvent, { event: 'error' }>['data'];

/** A response without a success status, or an `error` event of a stream that is not about the run. */
export class SkeinApiError extends Error {
  override readonly name = 'SkeinApiError';
  /** The HTTP status; undefined for an error inside a stream. */
  readonly status: number | undefined;
  /** One of the documented error codes; `UNKNOWN` if a proxy answered in another format. */
  readonly code: string;
  /** What failed and where. */
  readonly detail: string | undefined;
  /** The request's id in the service's log. */
  readonly requestId: string | undefined;
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | undefined;

  constructor(body: Partial<ErrorBody>, response?: Response) {
    super(body.message ?? `The service answered with status ${response?.status}`);
    this.status = response?.status;
    this.code = body.error_code ?? 'UNKNOWN';
    this.detail = body.detail;
    this.requestId = body.request_id ?? response?.headers.get('x-request-id') ?? undefined;
    this.retryAfter = secondsOf(response?.headers.get('retry-after'));
  }
}

/** Never throws, because the status is known even if the body is unreadable. */
export async function apiError(response: Response): Promise<SkeinApiError> {
  const text = await response.text().catch(() => '');
  return new SkeinApiError(bodyIn(text), response);
}

function bodyIn(text: string): Partial<ErrorBody> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

/** Retry-After as in RFC 9110, 10.2.3: seconds, or a date. */
function secondsOf(value: string | null | undefined): number | undefined {
  if (!value) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
