/** Restores the body of a request that middleware has read and may have changed. */

/** `body` is text, bytes, a form, or a value that becomes JSON. Undefined becomes an empty body. */
export function withBody(request: Request, body: unknown): Request {
  const sent = isSent(body) ? body : JSON.stringify(body);
  const bytes = typeof sent === 'string' ? new TextEncoder().encode(sent) : sent;
  const headers = new Headers(request.headers);
  // The original length may be wrong now. Bun sets both headers of a form, whose boundary is new.
  if (bytes instanceof FormData) for (const name of FORM_HEADERS) headers.delete(name);
  else headers.set('content-length', String(lengthOf(bytes)));
  return new Request(request, { headers, body: bytes });
}

type Sent = string | ArrayBuffer | Uint8Array<ArrayBuffer> | Blob | FormData | undefined;

const FORM_HEADERS = ['content-length', 'content-type'];

function isSent(body: unknown): body is Sent {
  if (body === undefined || typeof body === 'string') return true;
  return [ArrayBuffer, Uint8Array, Blob, FormData].some((kind) => body instanceof kind);
}

function lengthOf(body: ArrayBuffer | Uint8Array | Blob | undefined): number {
  if (body === undefined) return 0;
  return body instanceof Blob ? body.size : body.byteLength;
}
