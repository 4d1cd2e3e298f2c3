/** Where a client reaches the service: as the request says it, or as a trusted proxy tells it. */

/** `https://example.org`, without a path. */
export function publicOrigin(request: Request, isFromProxy: boolean): string {
  const own = new URL(request.url);
  if (!isFromProxy) return own.origin;
  const protocol = firstOf(request.headers.get('x-forwarded-proto')) ?? own.protocol.slice(0, -1);
  const host = firstOf(request.headers.get('x-forwarded-host')) ?? own.host;
  const told = `${protocol}://${host}`;
  const isOrigin =
    ['http', 'https'].includes(protocol) && /^[A-Za-z0-9.:[\]-]+$/.test(host) && URL.canParse(told);
  return isOrigin ? new URL(told).origin : own.origin;
}

/** What the proxy next to the client wrote. */
function firstOf(header: string | null): string | undefined {
  return header?.split(',')[0]?.trim() || undefined;
}
