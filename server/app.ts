/** The HTTP application: one Elysia instance per resource, and what is common to every endpoint. Does no I/O. */
import { Elysia } from 'elysia';
import { SkeinError } from '../state/errors.ts';
import { chatRoutes } from './chat.ts';
import { checkpointRoutes } from './checkpoints.ts';
import { docsRoutes } from './docs.ts';
import { feedbackRoutes } from './feedback.ts';
import { healthRoutes } from './health.ts';
import { readBytes, readJson } from './json-body.ts';
import { messageRoutes } from './messages.ts';
import { errorResponse } from './on-error.ts';
import { promptUpdateRoutes } from './prompt-updates.ts';
import { promptRoutes } from './prompts.ts';
import { requestIdOf } from './request-id.ts';
import { resumeRoutes } from './resume.ts';
import { routeTable } from './route-table.ts';
import { runStreamRoutes } from './run-stream.ts';
import { runRoutes } from './runs.ts';
import type { Services } from './services.ts';
import { threadRoutes } from './threads.ts';
import { workflowRoutes } from './workflows.ts';

export interface App {
  /** Answers any request; never throws. `received` is called once the request is there whole, its body included. */
  handle(request: Request, received?: () => void): Promise<Response>;
}

const REQUEST_ID = 'x-request-id';
const CHAT = '/api/v1/chat';

export function createApp(services: Services): App {
  /** What to call when a request's body has been read. */
  const receivers = new WeakMap<Request, () => void>();
  const routes = createRoutes(services, (request) => receivers.get(request)?.());
  const table = routeTable(routes.routes);

  async function handle(original: Request, received?: () => void): Promise<Response> {
    const request = withHost(original);
    // The socket leaves the body out, and says how long it would be.
    if (request.method === 'HEAD') return handle(new Request(request, { method: 'GET' }), received);
    if (request.body === null) received?.();
    else if (received) receivers.set(request, received);
    try {
      const response = await routes.handle(request);
      return response.status === 404 ? refuseMethod(request, response) : response;
    } catch (error) {
      // Nothing is known to come here; what does is answered in the same form.
      const id = requestIdOf(request);
      const response = errorResponse(error, id, services.log);
      response.headers.set(REQUEST_ID, id);
      return response;
    }
  }

  /** A known path with another method: 405 with what it allows. */
  function refuseMethod(request: Request, notFound: Response): Response {
    const allowed = table.methodsOf(new URL(request.url).pathname);
    if (allowed.length === 0 || allowed.includes(request.method)) return notFound;
    const id = notFound.headers.get(REQUEST_ID) ?? requestIdOf(request);
    const response = errorResponse(new SkeinError('METHOD_NOT_ALLOWED'), id, services.log);
    for (const [name, value] of notFound.headers)
      if (!response.headers.has(name)) response.headers.set(name, value);
    response.headers.set('allow', allowed.join(', '));
    return response;
  }

  return { handle };
}

/** The routes with their types, for the typed client. */
export type Routes = ReturnType<typeof createRoutes>;

function createRoutes(services: Services, received: (request: Request) => void) {
  const { limits, log } = services;
  /** The routes that take a body; what is sent to another is read and left. */
  const bodies = new Set<string>();
  const routes = new Elysia({ name: 'skein' })
    .onRequest(({ request, set }) => {
      set.headers[REQUEST_ID] = requestIdOf(request);
      set.headers['x-content-type-options'] = 'nosniff';
      if (new URL(request.url).pathname.startsWith('/api')) set.headers['cache-control'] = 'no-store';
      const parent = request.headers.get('traceparent');
      if (parent !== null && TRACEPARENT.test(parent)) set.headers.traceparent = continued(parent);
    })
    .onParse({ as: 'global' }, async ({ request, route }) => {
      const limit = route === CHAT ? limits.max_chat_body_bytes : limits.max_body_bytes;
      const asked = bodies.has(`${request.method} ${route}`);
      const body = asked ? await readJson(request, limit) : await readBytes(request, limit);
      received(request);
      return body;
    })
    .onError({ as: 'global' }, ({ error, set, request }) =>
      errorResponse(error, String(set.headers[REQUEST_ID]), log, new URL(request.url).pathname),
    )
    .use(chatRoutes(services))
    .use(resumeRoutes(services))
    .use(runStreamRoutes(services))
    .use(workflowRoutes(services))
    .use(threadRoutes(services))
    .use(messageRoutes(services))
    .use(checkpointRoutes(services))
    .use(runRoutes(services))
    .use(feedbackRoutes(services))
    .use(promptRoutes(services))
    .use(promptUpdateRoutes(services))
    .use(healthRoutes(services));
  for (const { method, path, hooks } of routes.routes) if (hooks.body) bodies.add(`${method} ${path}`);
  return routes.use(docsRoutes(() => routes, services.version));
}

// W3C Trace Context, version 00: trace id and parent id, neither all zero.
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller's trace goes on with a span of ours. */
function continued(parent: string): string {
  const span = crypto.getRandomValues(new Uint8Array(8)).toHex();
  return `${parent.slice(0, 36)}${span}${parent.slice(52)}`;
}

const ORIGIN = /^(?:https?:\/\/[^/?#]*)?(?=\/)/;
// Elysia looks for the path from here on, which a short host (`http://web/`) would cut.
const SHORTEST_ORIGIN = 11;

/** The request under a host that can be routed: the Host header may be missing, short or nonsense, and nothing goes by it. */
function withHost(request: Request): Request {
  const { length } = ORIGIN.exec(request.url)?.[0] ?? '';
  if (length >= SHORTEST_ORIGIN && URL.canParse(request.url)) return request;
  return new Request(`http://localhost${request.url.slice(length)}`, request);
}
