/** Mounts a Hono app as LangGraph's servers do: its routes and middleware come first, the API stands behind them. */
import { withBody } from './changed-body.ts';
import { answerOfApi } from './incoming.ts';

/** What is used of https://hono.dev/docs/api/hono. */
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
  /** What has been read of the body, by its form. */
  bodyCache: Record<string, Promise<unknown>>;
  json(): Promise<unknown>;
}

export function isHono(app: object): app is HonoApp {
  const { routes, getPath, route, use, notFound } = app as Partial<HonoApp>;
  return Array.isArray(routes) && [getPath, route, use, notFound].every((one) => typeof one === 'function');
}

/** Around the app is another one of its class, whose notFound is the API: that of the app itself then never counts. */
export function mountHono(app: HonoApp): (request: Request) => Promise<Response> {
  const Hono = app.constructor as new (options: { getPath: unknown }) => HonoApp;
  const outer = new Hono({ getPath: app.getPath });
  outer.use(async ({ req }, next) => {
    keepJson(req);
    await next();
  });
  outer.route('/', app);
  outer.notFound(async (context) => {
    const response = await answerOfApi(await requestOf(context.req));
    // Hono adds headers that were set before `next()` only to responses of its own.
    return hasHeaders(context) ? context.newResponse(response.body, response) : response;
  });
  return async (request) => outer.fetch(request);
}

/** Hono parses the text again at each call, which would lose what a middleware has changed. */
function keepJson(req: HonoRequest): void {
  const read = req.json.bind(req);
  req.json = () => {
    req.bodyCache.json ??= read();
    return req.bodyCache.json;
  };
}

async function requestOf({ raw, bodyCache }: HonoRequest): Promise<Request> {
  if (!raw.bodyUsed) return raw;
  // What is not valid JSON is answered by the API, from the text.
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
