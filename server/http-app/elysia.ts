/** Mounts an Elysia app: the API is its last route, so that its hooks run around the API's requests too. */
import { withBody } from './changed-body.ts';
import { answerOfApi } from './incoming.ts';

/** What is used of https://elysiajs.com. */
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
  /** Present if a hook of the app uses it. */
  body?: unknown;
}

export function isElysia(app: object): app is ElysiaApp {
  const { routes, use, all, compile, onBeforeHandle } = app as Partial<ElysiaApp>;
  return (
    Array.isArray(routes) && [use, all, compile, onBeforeHandle].every((one) => typeof one === 'function')
  );
}

export async function mountElysia(app: ElysiaApp): Promise<(request: Request) => Promise<Response>> {
  await app.modules;
  const outer = app.config.prefix ? around(app) : app;
  // It takes everything itself, or it has been mounted before.
  const isTaken = outer.routes.some(({ method, path }) => method === 'ALL' && EVERYTHING.includes(path));
  if (!isTaken) outer.all('*', leave);
  outer.compile();
  return async (request) => outer.fetch(request);
}

const EVERYTHING = ['*', '/*'];

/** The routes of an app with a prefix all begin with it, so another one has the API's. */
function around(app: ElysiaApp): ElysiaApp {
  const Elysia = app.constructor as new () => ElysiaApp;
  return new Elysia().use(app);
}

async function answer({ request, body }: Context): Promise<Response> {
  return answerOfApi(request.bodyUsed ? withBody(request, body) : request);
}

// Elysia reads a handler's source and parses the body if the handler mentions it. The source of a bound function is hidden, so
// the body stays unread unless a hook of the app uses it.
const leave = answer.bind(undefined);
