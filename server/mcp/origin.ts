/** Whose pages may call the MCP endpoint: those that the settings name, and those of the service itself on this machine. */
import type { Cors } from '../http/cors.ts';

// Names that no page of another machine has. Any other name may be made to lead to this machine, with that page's origin.
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

export function isForeignPage(request: Request, cors: Cors): boolean {
  if (cors.trusts(request)) return false;
  const { origin, hostname } = new URL(request.url);
  return request.headers.get('origin') !== origin || !LOOPBACK.includes(hostname);
}
