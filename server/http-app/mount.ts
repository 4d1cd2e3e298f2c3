/** The HTTP app of a project, mounted around the API: what it does not answer goes to the API. */
import { isElysia, mountElysia } from './elysia.ts';
import { isHono, mountHono } from './hono.ts';
import { mountPlain, type PlainApp } from './plain.ts';

/** To be called within a request: see `incoming.ts`. */
export type HttpApp = (request: Request) => Promise<Response>;

/** Undefined for what is no app, which has a `fetch(request)`. */
export async function mounted(app: unknown): Promise<HttpApp | undefined> {
  if ((typeof app !== 'object' && typeof app !== 'function') || app === null) return undefined;
  if (!('fetch' in app) || typeof app.fetch !== 'function') return undefined;
  if (isHono(app)) return mountHono(app);
  return isElysia(app) ? mountElysia(app) : mountPlain(app as PlainApp);
}
