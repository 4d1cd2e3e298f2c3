/** The application with a project's HTTP app around it. */
import type { Connection } from '../connection.ts';
import { withHost } from '../http/with-host.ts';
import { openRequests } from '../open-requests.ts';
import { boundedBody } from './bounded-body.ts';
import { incoming, within } from './incoming.ts';
import type { HttpApp } from './mount.ts';

interface Answering {
  handle(request: Request, connection?: Connection): Promise<Response>;
  close(milliseconds: number): Promise<void>;
}

export interface Api extends Answering {
  /** Whether a route has this path. */
  serves(path: string): boolean;
  /** The answer to what was thrown. */
  failed(error: unknown, request: Request): Response;
  /** Is told of answers that are the app's own, to a request that came at `began`. */
  observed(request: Request, response: Response, began: number): void;
}

// What watches over the process asks the API itself: an app that fails or waits must not look like a dead service.
const PROBES: ReadonlySet<string> = new Set(['/livez', '/readyz', '/api/v1/health']);

export function aroundApi(api: Api, app: HttpApp): Answering {
  const open = openRequests();

  async function handle(received: Request, connection?: Connection): Promise<Response> {
    const original = withHost(received);
    if (PROBES.has(new URL(original.url).pathname)) return api.handle(original, connection);
    // Bun never cuts off a request with a body once the body is there.
    if (original.body === null) connection?.received();
    const body = boundedBody(original);
    const began = performance.now();
    const isNested = incoming() !== undefined;
    try {
      // What a request in progress asks in-process belongs to it.
      if (!isNested) open.enter(original);
      const { response, isOwn } = await answer(body.request, connection);
      const refusal = body.refusal();
      const sent = refusal ? api.failed(refusal, original) : response;
      if (isOwn) api.observed(original, sent, began);
      return sent;
    } catch (error) {
      const sent = api.failed(body.refusal() ?? error, original);
      api.observed(original, sent, began);
      return sent;
    } finally {
      open.leave(original);
    }
  }

  /** `isOwn`: the API was not asked for it. */
  async function answer(
    request: Request,
    connection?: Connection,
  ): Promise<{ response: Response; isOwn: boolean }> {
    const { serves } = api;
    let isLeft = false;
    if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') {
      const leave = (left: Request) => {
        isLeft = true;
        return api.handle(left, connection);
      };
      const response = await within({ serves, api: leave }, () => app(request));
      return { response, isOwn: !isLeft };
    }
    // A socket is taken over with the request that came over it, so that is what the API gets. The app may still refuse it.
    const stand = async () => {
      isLeft = true;
      return new Response(null, { status: 204 });
    };
    const response = await within({ serves, api: stand }, () => app(request));
    if (!isLeft) return { response, isOwn: true };
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
