/** Mounts a Hono app as LangGraph's servers do: the app's routes and middleware come first, then the API. */
import { withBody } from './changed-body.ts';
import { callApi } from './current-api.ts';

/** The part of a Hono instance (https://hono.dev/docs/api/hono) that is used here. */
export interface HonoApp {
  routes: unknown[];
  getPath: unknown;
  fetch(request: Request): Response | Promise<Response>;
  use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): unknown;
  route(path: string, app: HonoApp): unknown;
  notFound(handler: (context: Context) => Promise<Response>): unknown;
}

interface Context {
  req: HonoRequest;
  newResponse(body: Response['body'], init?: Response): Response;
}

interface HonoRequest {
  raw: Request;
  /** The bodies that have been read, by format (such as `json` or `text`). */
  bodyCache: Record<string, Promise<unknown>>;
  json(): Promise<unknown>;
}

/** Recognizes a Hono app by its methods, because the project may have its own copy of the package. */
export function isHono(app: object): app is HonoApp {
  const { routes, getPath, route, use, notFound } = app as Partial<HonoApp>;
  return Array.isArray(routes) && [getPath, route, use, notFound].every((one) => typeof one === 'function');
}

/** Wraps the app in an outer Hono app whose `notFound` calls the API. Hono ignores the `notFound` of the inner app. */
export function mountHono(app: HonoApp): (request: Request) => Promise<Response> {
  const Hono = app.constructor as new (options: { getPath: unknown }) => HonoApp;
  const outer = new Hono({ getPath: app.getPath });
  outer.use(async ({ req }, next) => {
    keepJson(req);
    await next();
  });
  outer.route('/', app);
  outer.notFound(async (context) => {
    const response = await callApi(await requestOf(context.req));
    // Hono adds headers that middleware set before `next()` only to responses that `newResponse` creates.
    return hasHeaders(context) ? context.newResponse(response.body, response) : response;
  });
  return async (request) => outer.fetch(request);
}

/** Caches the parsed body. Hono parses the text again for each call, which would lose the changes of middleware. */
function keepJson(req: HonoRequest): void {
  const read = req.json.bind(req);
  req.json = () => {
    req.bodyCache.json ??= read();
    return req.bodyCache.json;
  };
}

async function requestOf({ raw, bodyCache }: HonoRequest): Promise<Request> {
  if (!raw.bodyUsed) return raw;
  // If the JSON is invalid, the API gets the text and responds with the error.
  const { json, ...others } = bodyCache;
  const value = await json?.catch(() => undefined);
  if (value !== undefined) return withBody(raw, value);
  const [first] = Object.values(others);
  return withBody(raw, await first?.catch(() => undefined));
}

function hasHeaders(context: Context): boolean {
  const [first] = context.newResponse(null).headers;
  return first !== undefined;
}
