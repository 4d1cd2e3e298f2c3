/** Requests whose Host header is missing, short or nonsense, made fit for routing. */

const ORIGIN = /^(?:https?:\/\/[^/?#]*)?(?=\/)/;
// Elysia looks for the path from here on, which a short host (`http://web/`) would cut.
const SHORTEST_ORIGIN = 11;

/** The request under a host that can be routed: the Host header may be missing, short or nonsense, and nothing goes by it. */
export function withHost(request: Request): Request {
  const { length } = ORIGIN.exec(request.url)?.[0] ?? '';
  if (length >= SHORTEST_ORIGIN && URL.canParse(request.url)) return request;
  return new Request(`http://localhost${request.url.slice(length)}`, request);
}
