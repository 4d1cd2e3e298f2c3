/** The span of an HTTP request: https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server */
import type { Span, Tracing } from '../../tools/telemetry/tracing.ts';
import { traceparentIn } from '../http/headers/response-headers.ts';

// Clients can send paths of any length.
const MAX_PATH_LENGTH = 500;

// Monitoring calls these paths every few seconds, so they start no traces.
const PROBES: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics', '/api/v1/health']);

/** Continues the caller's trace, or starts a new one. Returns undefined for a probe without a trace. */
export function requestSpan(tracing: Tracing, request: Request): Span | undefined {
  const { pathname, protocol, hostname, port } = new URL(request.url, 'http://localhost');
  const parent = traceparentIn(request);
  if (parent === undefined && PROBES.has(pathname)) return undefined;
  return tracing.begin(request.method, {
    kind: 'server',
    parent,
    attributes: {
      'http.request.method': request.method,
      'url.path': pathname.slice(0, MAX_PATH_LENGTH),
      'url.scheme': protocol.replace(':', ''),
      'server.address': hostname,
      'server.port': port === '' ? undefined : Number(port),
      'user_agent.original': request.headers.get('user-agent') ?? undefined,
    },
  });
}

export interface SpanResponse {
  method: string;
  /** Empty if no route matched. */
  route: string;
  status: number;
  requestId: string | null;
}

/** Ends the span. Only server errors (5xx) mark it as failed, as OpenTelemetry's conventions require for server spans. */
export function endRequestSpan(span: Span, { method, route, status, requestId }: SpanResponse): void {
  if (route !== '') span.rename(`${method} ${route}`);
  span.set({
    'http.route': route === '' ? undefined : route,
    'http.response.status_code': status,
    'skein.request.id': requestId ?? undefined,
  });
  span.end(status >= 500 ? String(status) : undefined);
}
