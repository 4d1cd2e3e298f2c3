/** The service's refusals and failures as one error class. */
import type { StreamEvent } from '../server/chat/event-stream.ts';

export type ErrorBody = Extract<StreamEvent, { event: 'error' }>['data'];

/** An answer that is no success, or a stream's `error` that is not one of the run. */
export class SkeinApiError extends Error {
  override readonly name = 'SkeinApiError';
  /** The HTTP status; undefined where it was said inside a stream. */
  readonly status: number | undefined;
  /** One of the contract's codes; `UNKNOWN` where something between here and the service answered in another form. */
  readonly code: string;
  /** The thing and the place. */
  readonly detail: string | undefined;
  /** Under which the service's log has it. */
  readonly requestId: string | undefined;
  /** Seconds after which a retry makes sense. */
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

/** Never fails: an answer that cannot be read still has its status. */
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

/** Retry-After as RFC 9110, 10.2.3 has it: seconds, or a date. */
function secondsOf(value: string | null | undefined): number | undefined {
  if (!value) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
