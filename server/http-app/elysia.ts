/** Mounts an Elysia app. The API becomes its last route, so that the app's hooks also run for requests to the API. */
import { withBody } from './changed-body.ts';
import { callApi } from './current-api.ts';

/** The part of an Elysia instance (https://elysiajs.com) that is used here. */
export interface ElysiaApp {
  config: { prefix?: string };
  routes: { method: string; path: string }[];
  modules: Promise<unknown>;
  fetch(request: Request): Response | Promise<Response>;
  use(app: ElysiaApp): ElysiaApp;
  all(path: string, handler: (context: Context) => Promise<Response>): unknown;
  compile(): unknown;
  onBeforeHandle: unknown;
}

interface Context {
  request: Request;
  /** Only set if a hook of the app uses the body. */
  body?: unknown;
}

/** Recognizes an Elysia app by its methods, because the project may have its own copy of the package. */
export function isElysia(app: object): app is ElysiaApp {
  const { routes, use, all, compile, onBeforeHandle } = app as Partial<ElysiaApp>;
  return (
    Array.isArray(routes) && [use, all, compile, onBeforeHandle].every((one) => typeof one === 'function')
  );
}

/** Waits for the app's lazy plugins, then adds the API as its last route. */
export async function mountElysia(app: ElysiaApp): Promise<(request: Request) => Promise<Response>> {
  await app.modules;
  const outer = app.config.prefix ? wrap(app) : app;
  // True if the app has its own catch-all route, or has been mounted before.
  const hasCatchAll = outer.routes.some(({ method, path }) => method === 'ALL' && CATCH_ALL.includes(path));
  if (!hasCatchAll) outer.all('*', passOn);
  outer.compile();
  return async (request) => outer.fetch(request);
}

const CATCH_ALL = ['*', '/*'];

/** All routes of an app with a prefix start with it, so the route for the API must belong to an outer app. */
function wrap(app: ElysiaApp): ElysiaApp {
  const Elysia = app.constructor as new () => ElysiaApp;
  return new Elysia().use(app);
}

async function answer({ request, body }: Context): Promise<Response> {
  return callApi(request.bodyUsed ? withBody(request, body) : request);
}

// Elysia reads a handler's source and parses the body if the handler mentions it. The source of a bound function is hidden, so
// the body stays unread unless a hook of the app uses it.
const passOn = answer.bind(undefined);
