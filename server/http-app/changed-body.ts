/** The request with the body that a middleware has read, and maybe changed. */

/** `body` is text, bytes, or a value that is sent as JSON; undefined: an empty body. */
export function withBody(request: Request, body: unknown): Request {
  const sent = isSent(body) ? body : JSON.stringify(body);
  const bytes = typeof sent === 'string' ? new TextEncoder().encode(sent) : sent;
  const headers = new Headers(request.headers);
  // The length of what came over the wire is no longer true, and the length of a form isn't known.
  if (bytes instanceof FormData) for (const name of OF_THE_FORM) headers.delete(name);
  else headers.set('content-length', String(lengthOf(bytes)));
  return new Request(request, { headers, body: bytes });
}

type Sent = string | ArrayBuffer | Uint8Array<ArrayBuffer> | Blob | FormData | undefined;

const OF_THE_FORM = ['content-length', 'content-type'];

function isSent(body: unknown): body is Sent {
  if (body === undefined || typeof body === 'string') return true;
  return [ArrayBuffer, Uint8Array, Blob, FormData].some((kind) => body instanceof kind);
}

function lengthOf(body: ArrayBuffer | Uint8Array | Blob | undefined): number {
  if (body === undefined) return 0;
  return body instanceof Blob ? body.size : body.byteLength;
}
