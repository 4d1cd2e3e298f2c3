/** The HTTP application: one Elysia instance per resource, and the hooks that all endpoints share. Does no I/O. */

import { Elysia } from 'elysia';
import { SkeinError } from '../state/errors.ts';
import { MAX_DOCUMENT_BYTES } from '../tools/knowledge/local/folder/document-folder.ts';
import { a2aRoutes } from './a2a/routes.ts';
import { agUiProtocol } from './ag-ui/protocol.ts';
import { aiSdkProtocol } from './ai-sdk/protocol.ts';
import { createGuard, type Guard } from './authentication/guard.ts';
import type { Connection, Connections, SocketEnd } from './connection.ts';
import { guideRoutes } from './docs/guide.ts';
import { docsRoutes } from './docs/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { skipBytes, streamBody } from './http/bodies/body-bytes.ts';
import { bodyCheck } from './http/bodies/body-check.ts';
import { createBodyMemory, memoryLimits } from './http/bodies/body-memory.ts';
import { readJson } from './http/bodies/json-body.ts';
import { compressed } from './http/compression.ts';
import { clientAddresses, trustedAddresses } from './http/headers/client-address.ts';
import { createCors } from './http/headers/cors.ts';
import { publicOrigin } from './http/headers/public-origin.ts';
import { requestIdOf } from './http/headers/request-id.ts';
import { REQUEST_ID, responseHeaders } from './http/headers/response-headers.ts';
import { withHost } from './http/headers/with-host.ts';
import { pathOf } from './http/path-of.ts';
import { routeTable } from './http/route-table.ts';
import { MESSAGE_ROUTES, TURN_ROUTES } from './http/turn-routes.ts';
import { type Api, wrapApi } from './http-app/wrap-api.ts';
import { DOCUMENT_ROUTE } from './knowledge/documents.ts';
import { isProtocolPath } from './langgraph/errors.ts';
import { langgraphProtocol } from './langgraph/protocol.ts';
import { isMcpPath } from './mcp/errors.ts';
import { isForeignPage } from './mcp/origin.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { type Observation, observeRequests } from './observation/requests.ts';
import { type OpenRequests, openRequests } from './open-requests.ts';
import { openAIProtocol } from './openai/protocol.ts';
import { conversationApi, datasetApi, resourceApi, runApi } from './own-api.ts';
import { formattedError } from './protocol-errors.ts';
import type { Services } from './services.ts';
import { studioRoutes } from './studio/routes.ts';

export interface App {
  /** Responds to any request. Never throws. */
  handle(request: Request, connection?: Connection): Promise<Response>;
  /** Rejects new requests with SHUTTING_DOWN. Resolves when the open requests have ended, after `milliseconds` at most. */
  close(milliseconds: number): Promise<void>;
}

/** Reads no state, so it still succeeds during shutdown. */
const LIVENESS = '/livez';

/** Composes the routes, the common hooks and the project's own app. */
export function createApp(services: Services): App {
  const api = createApi(services);
  const app = services.httpApp ? wrapApi(api, services.httpApp) : api;
  return {
    async handle(original, connection) {
      const request = withHost(original);
      const response = await app.handle(request, connection);
      // Responses of a project's own app are not compressed: the app chooses their encoding.
      const path = pathOf(request);
      return services.httpApp && !api.serves(path) ? response : compressed(request, path, response);
    },
    close: app.close,
  };
}

function createApi(services: Services): Api {
  const connections = new WeakMap<Request, Connection>();
  const clientAddress = clientAddresses(services.web.trusted_proxies);
  const addressOf = (request: Request) =>
    clientAddress(connections.get(request)?.address ?? '', request.headers);
  const isTrusted = trustedAddresses(services.web.trusted_proxies);
  const originOf = (request: Request) =>
    publicOrigin(request, isTrusted(connections.get(request)?.address ?? ''));
  const guard = createGuard({
    authenticator: services.authenticator,
    counters: services.counters,
    chatsPerMinute: services.web.rate_limit.requests_per_minute,
    addressOf,
  });
  const received = (request: Request) => connections.get(request)?.received();
  const upgrade = (request: Request, end: SocketEnd) => connections.get(request)?.upgrade(end) ?? false;
  const open = openRequests();
  const patternOf = (path: string) => table.at(path).path;
  const observation = observeRequests({ ...services, patternOf });
  const parts = { ...services, addressOf, originOf, upgrade, countChat: guard.countChat };
  const routes = createRoutes(parts, { guard, open, received, observation });
  const table = routeTable(routes.routes);

  async function handle(request: Request, connection?: Connection): Promise<Response> {
    return observation.observe(request, () => answer(request, connection));
  }

  async function answer(request: Request, connection?: Connection): Promise<Response> {
    // Bun sends the headers of the GET response, with its Content-Length, and drops the body.
    if (request.method === 'HEAD') {
      const getRequest = new Request(request, { method: 'GET' });
      observation.replace(request, getRequest);
      return answer(getRequest, connection);
    }
    if (connection) connections.set(request, connection);
    if (request.body === null) received(request);
    try {
      const response = await routes.handle(request);
      return response.status === 404 ? await unmatched(request, response) : response;
    } catch (error) {
      // A last resort: Elysia's error hook handles all known errors.
      return errorFor(error, request);
    } finally {
      open.leave(request);
    }
  }

  function errorFor(error: unknown, request: Request): Response {
    const id = requestIdOf(request);
    const { text, status, headers } = formattedError(error, id, services.log, pathOf(request));
    return new Response(text, { status, headers: { ...headers, [REQUEST_ID]: id } });
  }

  /**
   * The response to a request that matches no route: 405 with `Allow` if the path has other methods, otherwise the 404. Invalid
   * credentials are rejected before either.
   */
  async function unmatched(request: Request, notFound: Response): Promise<Response> {
    const { methods, path } = table.at(pathOf(request));
    const rejection = await guard.identify(request, path).catch((error: unknown) => error);
    if (rejection !== undefined) return errorInstead(rejection, request, notFound);
    if (methods.length === 0 || methods.includes(request.method)) return notFound;
    const response = errorInstead(new SkeinError('METHOD_NOT_ALLOWED'), request, notFound);
    response.headers.set('allow', methods.join(', '));
    return response;
  }

  /** Keeps the headers of the 404 that the error replaces. */
  function errorInstead(error: unknown, request: Request, notFound: Response): Response {
    const id = notFound.headers.get(REQUEST_ID) ?? requestIdOf(request);
    const { text, status, headers } = formattedError(error, id, services.log, pathOf(request));
    return new Response(text, { status, headers: { ...Object.fromEntries(notFound.headers), ...headers } });
  }

  const serves = (path: string) => table.at(path).methods.length > 0;
  return { handle, close: open.close, serves, errorFor, record: observation.record };
}

/** The routes with their types, for the typed client. */
export type Routes = ReturnType<typeof createRoutes>;

interface RequestHooks {
  guard: Guard;
  open: OpenRequests;
  /** Called when the whole request, with its body, has arrived. */
  received(request: Request): void;
  observation: Observation;
}

function createRoutes(
  services: Services & Connections,
  { guard, open, received, observation }: RequestHooks,
) {
  const { limits, log, web } = services;
  const cors = createCors(web.cors_origins);
  const memory = createBodyMemory(memoryLimits(Math.max(limits.max_body_bytes, limits.max_chat_body_bytes)));
  /** The body validators, by method and route. A body that is sent to any other route is read and discarded. */
  const checks = new Map<string, (body: unknown) => unknown>();
  const limitOf = ({ method }: Request, route: string) => {
    if (TURN_ROUTES.has(route) || MESSAGE_ROUTES.has(route)) return limits.max_chat_body_bytes;
    return isUpload(method, route) ? MAX_DOCUMENT_BYTES : limits.max_body_bytes;
  };
  const routes = new Elysia({ name: 'skein' })
    .onRequest(({ request, set }) => {
      Object.assign(
        set.headers,
        responseHeaders(request, observation.traceparentOf(request)),
        cors.headersFor(request),
      );
      if (isMcpPath(pathOf(request)) && isForeignPage(request, cors))
        throw new SkeinError('ORIGIN_NOT_ALLOWED', {
          detail: 'Origin: expected an origin of web_configuration.cors_origins',
        });
      // Must come before anything that reads the state, because the shutdown closes it.
      if (pathOf(request) !== LIVENESS) open.check();
      return cors.preflight(request);
    })
    .onParse({ as: 'global' }, async ({ request, route }) => {
      observation.matched(request, route);
      await guard.beforeBody(request, route);
      // A repeated request gets its run, even if the queue is full.
      if (TURN_ROUTES.has(route) && !request.headers.has('idempotency-key')) services.runtime.refuseIfFull();
      const limit = limitOf(request, route);
      if (isUpload(request.method, route)) return streamBody(request, limit, () => received(request));
      const check = checks.get(`${request.method} ${route}`);
      const plain = isProtocolPath(pathOf(request)) && cors.trusts(request);
      const body = check
        ? await readJson(request, limit, memory, { plain })
        : await skipBytes(request, limit);
      received(request);
      return check ? check(body) : body;
    })
    // Keep the `async` keywords: Elysia looks for them in the source of a hook, and doesn't await other functions.
    .onTransform({ as: 'global' }, async ({ request, route }) => {
      observation.matched(request, route);
      if (route !== LIVENESS) open.enter(request);
      await guard.beforeBody(request, route);
    })
    .onBeforeHandle({ as: 'global' }, async ({ request, route }) => await guard.beforeHandler(request, route))
    // Returns text, because Elysia would copy a Response to add the headers.
    .onError({ as: 'global' }, ({ error, set, request }) => {
      const { text, status, headers } = formattedError(
        error,
        String(set.headers[REQUEST_ID]),
        log,
        pathOf(request),
      );
      set.status = status;
      Object.assign(set.headers, headers);
      return text;
    })
    .use(studioRoutes(services.studio))
    .use(conversationApi(services))
    .use(runApi(services))
    .use(resourceApi(services))
    .use(datasetApi(services))
    .use(langgraphProtocol(services))
    .use(openAIProtocol(services))
    .use(mcpRoutes(services))
    .use(aiSdkProtocol(services))
    .use(a2aRoutes(services))
    .use(agUiProtocol(services))
    .use(healthRoutes(services))
    .use(guideRoutes(services));
  for (const { method, path, hooks } of routes.routes)
    if (hooks.body) checks.set(`${method} ${path}`, bodyCheck(hooks.body));
  return routes.use(docsRoutes(services, () => routes));
}

/** Uploads are streamed to disk, because several large bodies at the same time would fill the memory. */
function isUpload(method: string, route: string): boolean {
  return method === 'PUT' && route === DOCUMENT_ROUTE;
}
