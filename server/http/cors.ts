/** Which pages of other origins may call the service from a browser: none, unless the settings name them. */
// @elysiajs/cors answers every OPTIONS with 204: it cannot leave those of other origins to the guard and the routes.

export interface Cors {
  /** Whether it comes from no page, or from one that may call. */
  trusts(request: Request): boolean;
  /** For every answer to the request. */
  headersFor(request: Request): Record<string, string>;
  /** The answer to a browser's question whether it may ask; undefined for any other request. */
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

/** Headers of the caller's own: LangGraph's protocol hands those that begin with `x-` to graphs, and MCP has those with `mcp-`. */
function ownHeaders(request: Request): string[] {
  const asked = request.headers.get('access-control-request-headers') ?? '';
  const names = asked.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => /^(x|mcp)-[a-z0-9-]{1,64}$/.test(name) && !KNOWN.has(name));
}

export function createCors(origins: readonly string[]): Cors {
  const allowed = new Set(origins.map((origin) => origin.toLowerCase()));
  const anyone = allowed.has('*');

  /** What goes into `Access-Control-Allow-Origin`. */
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
      const asks = request.method === 'OPTIONS' && request.headers.has('access-control-request-method');
      if (!asks || allowedOrigin(request) === undefined) return undefined;
      const headers = {
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers': [ALLOWED_HEADERS, ...ownHeaders(request)].join(', '),
        'access-control-max-age': MAX_AGE_SECONDS,
        // A page on the internet that calls a service in a private network, as LangGraph Studio does.
        ...(!anyone &&
          request.headers.has('access-control-request-private-network') && {
            'access-control-allow-private-network': 'true',
          }),
      };
      return new Response(null, { status: 204, headers });
    },
  };
}
