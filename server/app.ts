/** The HTTP application: one Elysia instance per resource, and what is common to every endpoint. Does no I/O. */

import { Elysia } from 'elysia';
import { SkeinError } from '../state/errors.ts';
import { MAX_DOCUMENT_BYTES } from '../tools/knowledge/local/folder/document-folder.ts';
import { a2aRoutes } from './a2a/routes.ts';
import { agUiFace } from './ag-ui/face.ts';
import { aiSdkFace } from './ai-sdk/face.ts';
import { createGuard, type Guard } from './authentication/guard.ts';
import type { Connection, Connections, SocketEnd } from './connection.ts';
import { guideRoutes } from './docs/guide.ts';
import { docsRoutes } from './docs/routes.ts';
import { faceError, type Presented } from './faces.ts';
import { healthRoutes } from './health/routes.ts';
import { bodyPieces, skipBytes } from './http/body-bytes.ts';
import { bodyCheck } from './http/body-check.ts';
import { createBodyRoom, roomSizes } from './http/body-room.ts';
import { clientAddresses, trustedAddresses } from './http/client-address.ts';
import { compressed } from './http/compression.ts';
import { createCors } from './http/cors.ts';
import { errorResponse } from './http/errors.ts';
import { readJson } from './http/json-body.ts';
import { publicOrigin } from './http/public-origin.ts';
import { requestIdOf } from './http/request-id.ts';
import { REQUEST_ID, responseHeaders } from './http/response-headers.ts';
import { routeTable } from './http/route-table.ts';
import { MESSAGE_ROUTES, TURN_ROUTES } from './http/turn-routes.ts';
import { withHost } from './http/with-host.ts';
import { type Api, aroundApi } from './http-app/around.ts';
import { DOCUMENT_ROUTE } from './knowledge/documents.ts';
import { isProtocolPath } from './langgraph/errors.ts';
import { langgraphRoutes } from './langgraph/face.ts';
import { isMcpPath } from './mcp/errors.ts';
import { isForeignPage } from './mcp/origin.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { type Observation, observeRequests } from './observation/requests.ts';
import { type OpenRequests, openRequests } from './open-requests.ts';
import { isOpenAIPath, withRetryAdvice } from './openai/errors.ts';
import { openAIRoutes } from './openai/face.ts';
import { conversationApi, datasetApi, resourceApi, runApi } from './own-api.ts';
import { withPromptName } from './prompts/error-detail.ts';
import type { Services } from './services.ts';
import { studioRoutes } from './studio/routes.ts';

export interface App {
  /** Answers any request; never throws. */
  handle(request: Request, connection?: Connection): Promise<Response>;
  /** Refuses new requests with SHUTTING_DOWN; resolves when the open ones are answered, `milliseconds` later at most. */
  close(milliseconds: number): Promise<void>;
}

/** Uses nothing that is closed, and is true until the process ends. */
const ALIVE = '/livez';

export function createApp(services: Services): App {
  const api = createApi(services);
  const app = services.httpApp ? aroundApi(api, services.httpApp) : api;
  return {
    async handle(request, connection) {
      const response = await app.handle(request, connection);
      // What a project's app answers itself is the app's own affair.
      const path = new URL(withHost(request).url).pathname;
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
  const takeOver = (request: Request, end: SocketEnd) => connections.get(request)?.takeOver(end) ?? false;
  const open = openRequests();
  const patternOf = (path: string) => table.at(path).path;
  const observation = observeRequests({ ...services, patternOf });
  const parts = { ...services, addressOf, originOf, takeOver, countChat: guard.countChat };
  const routes = createRoutes(parts, { guard, open, received, observation });
  const table = routeTable(routes.routes);

  async function handle(original: Request, connection?: Connection): Promise<Response> {
    const request = withHost(original);
    return observation.answered(request, () => answer(request, connection));
  }

  async function answer(request: Request, connection?: Connection): Promise<Response> {
    // The socket leaves the body out, and says how long it would be.
    if (request.method === 'HEAD') {
      const asked = new Request(request, { method: 'GET' });
      observation.standsFor(asked, request);
      return answer(asked, connection);
    }
    if (connection) connections.set(request, connection);
    if (request.body === null) received(request);
    try {
      const response = await routes.handle(request);
      return response.status === 404 ? await withoutRoute(request, response) : response;
    } catch (error) {
      // Nothing is known to come here; what does is answered in the same form.
      return failed(error, request);
    } finally {
      open.leave(request);
    }
  }

  function failed(error: unknown, request: Request): Response {
    const id = requestIdOf(request);
    const response = errorAnswer(error, id, services.log, request);
    response.headers.set(REQUEST_ID, id);
    return response;
  }

  /** A known path with another method: 405 with what it allows. Credentials come first here too. */
  async function withoutRoute(request: Request, notFound: Response): Promise<Response> {
    const { methods, path } = table.at(new URL(request.url).pathname);
    const refused = await guard.identify(request, path).catch((error: unknown) => error);
    if (refused !== undefined) return refusal(refused, request, notFound);
    if (methods.length === 0 || methods.includes(request.method)) return notFound;
    const response = refusal(new SkeinError('METHOD_NOT_ALLOWED'), request, notFound);
    response.headers.set('allow', methods.join(', '));
    return response;
  }

  function refusal(error: unknown, request: Request, notFound: Response): Response {
    const id = notFound.headers.get(REQUEST_ID) ?? requestIdOf(request);
    const response = errorAnswer(error, id, services.log, request);
    for (const [name, value] of notFound.headers)
      if (!response.headers.has(name)) response.headers.set(name, value);
    return response;
  }

  const serves = (path: string) => table.at(path).methods.length > 0;
  return { handle, close: open.close, serves, failed, observed: observation.elsewhere };
}

/** The routes with their types, for the typed client. */
export type Routes = ReturnType<typeof createRoutes>;

interface Gates {
  guard: Guard;
  open: OpenRequests;
  /** Called once a request has arrived whole. */
  received(request: Request): void;
  observation: Observation;
}

function createRoutes(services: Services & Connections, { guard, open, received, observation }: Gates) {
  const { limits, log, web } = services;
  const cors = createCors(web.cors_origins);
  const room = createBodyRoom(roomSizes(Math.max(limits.max_body_bytes, limits.max_chat_body_bytes)));
  /** Of the routes that take a body; what is sent to another is read and left. */
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
      if (isMcpPath(new URL(request.url).pathname) && isForeignPage(request, cors))
        throw new SkeinError('ORIGIN_NOT_ALLOWED', {
          detail: 'Origin: web_configuration.cors_origins names those that may',
        });
      // Before anything that needs the state, which is closed then.
      if (new URL(request.url).pathname !== ALIVE) open.check();
      return cors.preflight(request);
    })
    .onParse({ as: 'global' }, async ({ request, route }) => {
      observation.routed(request, route);
      await guard.first(request, route);
      const limit = limitOf(request, route);
      if (isUpload(request.method, route)) return bodyPieces(request, limit, () => received(request));
      const check = checks.get(`${request.method} ${route}`);
      const plain = isProtocolPath(new URL(request.url).pathname) && cors.trusts(request);
      const body = check ? await readJson(request, limit, room, { plain }) : await skipBytes(request, limit);
      received(request);
      return check ? check(body) : body;
    })
    // Async functions by their form: Elysia goes by it, and does not wait for others.
    .onTransform({ as: 'global' }, async ({ request, route }) => {
      observation.routed(request, route);
      if (route !== ALIVE) open.enter(request);
      await guard.first(request, route);
    })
    .onBeforeHandle({ as: 'global' }, async ({ request, route }) => await guard.last(request, route))
    .onError({ as: 'global' }, ({ error, set, request }) =>
      errorAnswer(error, String(set.headers[REQUEST_ID]), log, request),
    )
    .use(studioRoutes(services.studio))
    .use(conversationApi(services))
    .use(runApi(services))
    .use(resourceApi(services))
    .use(datasetApi(services))
    .use(langgraphRoutes(services))
    .use(openAIRoutes(services))
    .use(mcpRoutes(services))
    .use(aiSdkFace(services))
    .use(a2aRoutes(services))
    .use(agUiFace(services))
    .use(healthRoutes(services))
    .use(guideRoutes(services));
  for (const { method, path, hooks } of routes.routes)
    if (hooks.body) checks.set(`${method} ${path}`, bodyCheck(hooks.body));
  return routes.use(docsRoutes(services, () => routes));
}

function errorAnswer(error: unknown, id: string, log: Services['log'], request: Request): Response {
  const response = errorResponse(error, id, log, presented(request));
  return isOpenAIPath(new URL(request.url).pathname) ? withRetryAdvice(response) : response;
}

/** How the errors of a path look: as the clients of a protocol read them, for others the body, with what the path tells. */
function presented(request: Request): Presented {
  const { pathname } = new URL(request.url);
  return faceError(pathname) ?? ((body) => withPromptName(body, pathname));
}

/** Its body goes to the disk as it comes: many large ones at once would fill the memory. */
function isUpload(method: string, route: string): boolean {
  return method === 'PUT' && route === DOCUMENT_ROUTE;
}
