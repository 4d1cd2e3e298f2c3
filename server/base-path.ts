/** Serves the application under a path prefix, for proxies that don't strip the prefix. */
import { errorBody, SkeinError } from '../state/errors.ts';
import type { App } from './app.ts';
import { REQUEST_ID, responseHeaders } from './http/headers/response-headers.ts';
import { withHost } from './http/headers/with-host.ts';
import { isProtocolPath } from './langgraph/errors.ts';

/** `base` starts with a slash and has no trailing slash. */
export function belowPath(app: App, base: string): App {
  return {
    async handle(received, connection) {
      const request = withHost(received);
      const at = request.url.indexOf('/', request.url.indexOf('://') + '://'.length);
      const path = request.url.slice(at);
      if (!isBelow(path, base)) return outside(request, base);
      const rest = path.slice(base.length);
      const inner = rest.startsWith('/') ? rest : `/${rest}`;
      const response = await app.handle(
        new Request(`${request.url.slice(0, at)}${inner}`, request),
        connection,
      );
      // LangGraph's clients prepend the prefix to these addresses themselves.
      if (!isProtocolPath(inner.replace(/\?.*/s, ''))) relocate(response.headers, base);
      return response;
    },
    close: app.close,
  };
}

function isBelow(path: string, base: string): boolean {
  return path.startsWith(base) && ['/', '?', undefined].includes(path[base.length]);
}

/** Prepends the prefix to the redirects and cookie paths that the application sets relative to its own root. */
function relocate(headers: Headers, base: string): void {
  for (const name of ['location', 'content-location']) {
    const location = headers.get(name);
    if (location?.startsWith('/') && !location.startsWith('//')) headers.set(name, base + location);
  }
  const cookies = headers.getSetCookie();
  if (cookies.length === 0) return;
  headers.delete('set-cookie');
  for (const cookie of cookies)
    headers.append('set-cookie', cookie.replace(/(;\s*path=)(\/[^;]*)/i, `$1${base}$2`));
}

function outside(request: Request, base: string): Response {
  const error = new SkeinError('NOT_FOUND', { detail: `All paths of this service start with ${base}` });
  const headers = responseHeaders(request);
  const id = headers[REQUEST_ID] ?? '';
  return Response.json(errorBody(error, id), { status: error.status, headers });
}
