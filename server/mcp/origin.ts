/** Which web pages may call the MCP endpoint: pages of trusted origins, and the service's own pages on the loopback host. */
import type { Cors } from '../http/headers/cors.ts';

// Prevents DNS rebinding: a page of another machine can't have one of these hosts. Any other name could be made to resolve to
// this machine, and the request would have the page's own origin.
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Whether the request is from a web page that must not call the endpoint. */
export function isForeignPage(request: Request, cors: Cors): boolean {
  if (cors.trusts(request)) return false;
  const { origin, hostname } = new URL(request.url);
  return request.headers.get('origin') !== origin || !LOOPBACK.includes(hostname);
}
