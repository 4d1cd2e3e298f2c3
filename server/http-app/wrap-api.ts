/** Puts a project's HTTP app in front of the API. */
import type { Connection } from '../connection.ts';
import { withHost } from '../http/headers/with-host.ts';
import { pathOf } from '../http/path-of.ts';
import { openRequests } from '../open-requests.ts';
import { currentApi, withApi } from './current-api.ts';
import { limitBody } from './limit-body.ts';
import type { HttpApp } from './mount.ts';

interface RequestListener {
  handle(request: Request, connection?: Connection): Promise<Response>;
  close(milliseconds: number): Promise<void>;
}

export interface Api extends RequestListener {
  /** Whether a route matches this path. */
  serves(path: string): boolean;
  /** The response to a thrown error. */
  errorFor(error: unknown, request: Request): Response;
  /** Reports a request that the app answered itself. `began` is its arrival by `performance.now()`. */
  record(request: Request, response: Response, began: number): void;
}

// Probes go to the API directly: an app that fails or hangs must not look like a dead service.
const PROBES: ReadonlySet<string> = new Set(['/livez', '/readyz', '/api/v1/health']);

/** The app gets all requests except health probes. */
export function wrapApi(api: Api, app: HttpApp): RequestListener {
  const open = openRequests();

  async function handle(original: Request, connection?: Connection): Promise<Response> {
    if (PROBES.has(pathOf(original))) return api.handle(original, connection);
    // Only for requests without a body: Bun never closes the connection of a request whose body has arrived.
    if (original.body === null) connection?.received();
    const body = limitBody(original);
    const began = performance.now();
    const isNested = currentApi() !== undefined;
    try {
      // An in-process call by a request in flight is part of that request, so it must also succeed during the shutdown.
      if (!isNested) open.enter(original);
      const { response, isOwn } = await answer(body.request, connection);
      const tooLarge = body.error();
      const sent = tooLarge ? api.errorFor(tooLarge, original) : response;
      if (isOwn) api.record(original, sent, began);
      return sent;
    } catch (error) {
      const sent = api.errorFor(body.error() ?? error, original);
      api.record(original, sent, began);
      return sent;
    } finally {
      open.leave(original);
    }
  }

  /** `isOwn` means that the app answered without the API. */
  async function answer(
    request: Request,
    connection?: Connection,
  ): Promise<{ response: Response; isOwn: boolean }> {
    const { serves } = api;
    let isPassedOn = false;
    if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') {
      const passOn = (toApi: Request) => {
        isPassedOn = true;
        return api.handle(withHost(toApi), connection);
      };
      const response = await withApi({ serves, handle: passOn }, () => app(request));
      return { response, isOwn: !isPassedOn };
    }
    // Only the original request can be upgraded, so the API gets that one instead of the app's, once the app has had the chance
    // to reject it.
    const acceptUpgrade = async () => {
      isPassedOn = true;
      return new Response(null, { status: 204 });
    };
    const response = await withApi({ serves, handle: acceptUpgrade }, () => app(request));
    if (!isPassedOn) return { response, isOwn: true };
    return { response: await api.handle(request, connection), isOwn: false };
  }

  return {
    handle,
    async close(milliseconds) {
      const until = Date.now() + milliseconds;
      await open.close(milliseconds);
      await api.close(Math.max(0, until - Date.now()));
    },
  };
}
