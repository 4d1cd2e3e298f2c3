/** The origin under which a client reaches the service: of the request, or of a trusted proxy's X-Forwarded headers. */

/** Returns an origin such as `https://example.org`. */
export function publicOrigin(request: Request, isFromProxy: boolean): string {
  const own = new URL(request.url);
  if (!isFromProxy) return own.origin;
  const protocol = firstOf(request.headers.get('x-forwarded-proto')) ?? own.protocol.slice(0, -1);
  const host = firstOf(request.headers.get('x-forwarded-host')) ?? own.host;
  const forwarded = `${protocol}://${host}`;
  const isOrigin =
    ['http', 'https'].includes(protocol) && /^[A-Za-z0-9.:[\]-]+$/.test(host) && URL.canParse(forwarded);
  return isOrigin ? new URL(forwarded).origin : own.origin;
}

/** The first value, which the proxy closest to the client wrote. */
function firstOf(header: string | null): string | undefined {
  return header?.split(',')[0]?.trim() || undefined;
}
