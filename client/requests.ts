/** Sends requests to one service. */
import { apiError } from './api-error.ts';
import type { ClientOptions } from './options.ts';

export interface ClientRequest {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  /** JSON text. */
  body?: string;
}

/** Returns a successful response. Throws SkeinApiError for any other, ConnectionLost if there is no response. */
export type Send = (request: ClientRequest, signal?: AbortSignal) => Promise<Response>;

/** The request may or may not have arrived, or the response ended too early. Only a retry can tell. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

export function requests(baseUrl: string, options: ClientOptions): Send {
  const base = baseUrl.replace(/\/+$/, '');
  // Report an invalid address immediately; otherwise it would look like a service that is down.
  new Request(base === '' ? '/' : base);
  const own = options.headers;
  const fetch = options.fetch ?? globalThis.fetch;

  return async function send({ method, path, headers, body }, signal) {
    const given = typeof own === 'function' ? await own() : own;
    const type = body === undefined ? undefined : { 'content-type': 'application/json' };
    const init = { method, headers: { ...given, ...type, ...headers }, body, signal };
    const response = await fetch(`${base}${path}`, init).catch((cause) => {
      throw new ConnectionLost(`${method} ${path}: no answer`, { cause });
    });
    if (!response.ok) throw await apiError(response);
    return response;
  };
}
