/** The headers of every response: request id, trace context and security headers. */
import { pathOf } from '../path-of.ts';
import { requestIdOf } from './request-id.ts';

export const REQUEST_ID = 'x-request-id';

// W3C Trace Context, version 00: trace id and parent id, neither all zero.
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller's trace context. Undefined if the header is missing or invalid. */
export function traceparentIn(request: Request): string | undefined {
  const parent = request.headers.get('traceparent');
  return parent !== null && TRACEPARENT.test(parent) ? parent : undefined;
}

/** `traceparent` is the trace context of the request's own span, if it has one. */
export function responseHeaders(request: Request, traceparent?: string): Record<string, string> {
  const parent = traceparentIn(request);
  const own = traceparent ?? (parent && continued(parent));
  return {
    [REQUEST_ID]: requestIdOf(request),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    ...(pathOf(request).startsWith('/api') && API),
    ...(own && { traceparent: own }),
  };
}

/** Only for the API, none of whose responses is a page. */
const API = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

/** The trace context of a new span in the caller's trace. */
function continued(parent: string): string {
  const span = crypto.getRandomValues(new Uint8Array(8)).toHex();
  return `${parent.slice(0, 36)}${span}${parent.slice(52)}`;
}
