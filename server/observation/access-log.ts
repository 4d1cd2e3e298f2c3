/** Formats a request's line in the access log. */

export interface LoggedRequest {
  method: string;
  route: string;
  path: string;
  status: number;
  seconds: number;
  /** The size of the response's body. Undefined if it is unknown. */
  bytes: number | undefined;
  /** Undefined if the caller wasn't authenticated. */
  caller: string | undefined;
  requestId: string | null;
  /** The trace context of the request's span. Undefined if the request isn't traced. */
  traceparent: string | undefined;
}

// Clients can send paths of any length.
const MAX_PATH_LENGTH = 500;

/** Leaves out the query, which may contain secrets. */
export function accessLogEntry(request: LoggedRequest): Record<string, unknown> {
  const { method, route, path, status, seconds, bytes, caller, requestId, traceparent } = request;
  return {
    ...{ method, route, path: path.slice(0, MAX_PATH_LENGTH), status },
    milliseconds: Math.round(seconds * 10_000) / 10,
    caller: caller ?? null,
    request_id: requestId,
    bytes: bytes ?? null,
    ...(traceparent && { trace_id: traceparent.split('-')[1] }),
  };
}
