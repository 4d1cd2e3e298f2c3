/** Replaces a Host header that breaks the routing. */

const ORIGIN = /^(?:https?:\/\/[^/?#]*)?(?=\/)/;
// Elysia searches for the path starting at this position, so with a shorter origin (`http://web/`) it would cut the path.
const SHORTEST_ORIGIN = 11;

/** Sets the host to `localhost` if the Host header is missing, too short or invalid. No route depends on the host. */
export function withHost(request: Request): Request {
  const { length } = ORIGIN.exec(request.url)?.[0] ?? '';
  if (length >= SHORTEST_ORIGIN && URL.canParse(request.url)) return request;
  return new Request(`http://localhost${request.url.slice(length)}`, request);
}
