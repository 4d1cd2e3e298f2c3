/** CORS: only the origins in `web_configuration.cors_origins` may call the service from a browser. */
// @elysiajs/cors responds to every OPTIONS request with 204 and can't pass those of other origins on to the guard and the routes.

export interface Cors {
  /** True if the request has no Origin header or an allowed one. */
  trusts(request: Request): boolean;
  /** The CORS headers of every response to the request. */
  headersFor(request: Request): Record<string, string>;
  /** The response to a preflight request from an allowed origin. Undefined for any other request. */
  preflight(request: Request): Response | undefined;
}

const ALLOWED_HEADERS = [
  ...['Authorization', 'X-API-Key', 'Content-Type', 'Accept', 'Idempotency-Key', 'Last-Event-ID', 'Prefer'],
  ...['If-Match', 'X-Request-Id', 'Traceparent', 'X-Auth-Scheme'],
].join(', ');
const EXPOSED_HEADERS = [
  ...[
    'X-Request-Id',
    'Retry-After',
    'Idempotency-Replayed',
    'Location',
    'Content-Location',
    'Preference-Applied',
    'ETag',
  ],
  ...['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'WWW-Authenticate'],
  ...['X-Pagination-Total', 'X-Pagination-Next', 'X-Thread-Id'],
].join(', ');
const KNOWN = new Set(ALLOWED_HEADERS.toLowerCase().split(', '));
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const MAX_AGE_SECONDS = '600';

/** The additional headers to allow: LangGraph's protocol passes `x-` headers to graphs, and MCP uses `mcp-` headers. */
function extraHeaders(request: Request): string[] {
  const requested = request.headers.get('access-control-request-headers') ?? '';
  const names = requested.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => /^(x|mcp)-[a-z0-9-]{1,64}$/.test(name) && !KNOWN.has(name));
}

/** `origins` are exact origins, or `*` for all. */
export function createCors(origins: readonly string[]): Cors {
  const allowed = new Set(origins.map((origin) => origin.toLowerCase()));
  const anyone = allowed.has('*');

  /** The value of `Access-Control-Allow-Origin`. */
  function allowedOrigin(request: Request): string | undefined {
    const origin = request.headers.get('origin');
    if (origin === null) return undefined;
    if (anyone) return '*';
    return allowed.has(origin.toLowerCase()) ? origin : undefined;
  }

  return {
    trusts: (request) => !request.headers.has('origin') || allowedOrigin(request) !== undefined,
    headersFor(request) {
      if (allowed.size === 0) return {};
      const origin = allowedOrigin(request);
      return {
        ...(anyone ? {} : { vary: 'Origin' }),
        ...(origin && {
          'access-control-allow-origin': origin,
          'access-control-expose-headers': EXPOSED_HEADERS,
        }),
      };
    },
    preflight(request) {
      const isPreflight =
        request.method === 'OPTIONS' && request.headers.has('access-control-request-method');
      if (!isPreflight || allowedOrigin(request) === undefined) return undefined;
      const headers = {
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers': [ALLOWED_HEADERS, ...extraHeaders(request)].join(', '),
        'access-control-max-age': MAX_AGE_SECONDS,
        // Pages on the internet, such as LangGraph Studio, need this to call a service in a private network.
        ...(!anyone &&
          request.headers.has('access-control-request-private-network') && {
            'access-control-allow-private-network': 'true',
          }),
      };
      return new Response(null, { status: 204, headers });
    },
  };
}
