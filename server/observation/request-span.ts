/** The span of an HTTP request: https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server */
import type { Span, Tracing } from '../../tools/telemetry/tracing.ts';
import { traceparentIn } from '../http/response-headers.ts';

// Anybody may send a path of any length.
const MOST_CHARACTERS = 500;

// Asked every few seconds by what watches over the process: no trace begins there.
const PROBES: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics', '/api/v1/health']);

/** It goes on with the trace of the request. Undefined for probes that belong to none. */
export function requestSpan(tracing: Tracing, request: Request): Span | undefined {
  const { pathname, protocol, hostname, port } = new URL(request.url, 'http://localhost');
  const parent = traceparentIn(request);
  if (parent === undefined && PROBES.has(pathname)) return undefined;
  return tracing.begin(request.method, {
    kind: 'server',
    parent,
    attributes: {
      'http.request.method': request.method,
      'url.path': pathname.slice(0, MOST_CHARACTERS),
      'url.scheme': protocol.replace(':', ''),
      'server.address': hostname,
      'server.port': port === '' ? undefined : Number(port),
      'user_agent.original': request.headers.get('user-agent') ?? undefined,
    },
  });
}

export interface Answer {
  method: string;
  /** Empty where the path has none. */
  route: string;
  status: number;
  requestId: string | null;
}

/** Only what the server is to blame for is an error of its span. */
export function endRequestSpan(span: Span, { method, route, status, requestId }: Answer): void {
  if (route !== '') span.rename(`${method} ${route}`);
  span.set({
    'http.route': route === '' ? undefined : route,
    'http.response.status_code': status,
    'skein.request.id': requestId ?? undefined,
  });
  span.end(status >= 500 ? String(status) : undefined);
}
