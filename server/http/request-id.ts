/** The id of a request: its own where it is sensible, else a new one. */

const SENSIBLE = /^[A-Za-z0-9._-]{1,128}$/;

export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id');
  return given !== null && SENSIBLE.test(given) ? given : Bun.randomUUIDv7();
}
