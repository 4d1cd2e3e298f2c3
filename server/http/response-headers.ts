/** The headers of every answer: request id, trace, and what keeps browsers and caches from harm. */
import { requestIdOf } from './request-id.ts';

export const REQUEST_ID = 'x-request-id';

// W3C Trace Context, version 00: trace id and parent id, neither all zero.
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace that the caller has begun; undefined where there is none, or where its header is none. */
export function traceparentIn(request: Request): string | undefined {
  const parent = request.headers.get('traceparent');
  return parent !== null && TRACEPARENT.test(parent) ? parent : undefined;
}

/** `traceparent`: of the request's own span, where it has one. */
export function responseHeaders(request: Request, traceparent?: string): Record<string, string> {
  const parent = traceparentIn(request);
  const own = traceparent ?? (parent && continued(parent));
  return {
    [REQUEST_ID]: requestIdOf(request),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    ...(new URL(request.url).pathname.startsWith('/api') && API),
    ...(own && { traceparent: own }),
  };
}

/** No answer of the API is a page. */
const API = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

/** The caller's trace goes on with a span of ours. */
function continued(parent: string): string {
  const span = crypto.getRandomValues(new Uint8Array(8)).toHex();
  return `${parent.slice(0, 36)}${span}${parent.slice(52)}`;
}
