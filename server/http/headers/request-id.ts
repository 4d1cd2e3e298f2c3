/** The id of a request: its X-Request-Id header if that is valid, otherwise a new id. */

const VALID = /^[A-Za-z0-9._-]{1,128}$/;

export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id');
  return given !== null && VALID.test(given) ? given : Bun.randomUUIDv7();
}
