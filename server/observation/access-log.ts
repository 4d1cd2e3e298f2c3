/** The line of the access log for a request. */

export interface Answered {
  method: string;
  route: string;
  path: string;
  status: number;
  seconds: number;
  /** Undefined where it is not known. */
  bytes: number | undefined;
  /** Undefined for those who were not let in. */
  caller: string | undefined;
  requestId: string | null;
  /** Of the span of the request, where it is traced. */
  traceparent: string | undefined;
}

// Anybody may send a path of any length.
const MOST_CHARACTERS = 500;

/** Without the query, which may have secrets in it. */
export function accessLogEntry(answered: Answered): Record<string, unknown> {
  const { method, route, path, status, seconds, bytes, caller, requestId, traceparent } = answered;
  return {
    ...{ method, route, path: path.slice(0, MOST_CHARACTERS), status },
    milliseconds: Math.round(seconds * 10_000) / 10,
    caller: caller ?? null,
    request_id: requestId,
    bytes: bytes ?? null,
    ...(traceparent && { trace_id: traceparent.split('-')[1] }),
  };
}
