/** Mounts a project's HTTP app in front of the API. Requests that the app doesn't handle go to the API. */
import { isElysia, mountElysia } from './elysia.ts';
import { isHono, mountHono } from './hono.ts';
import { mountPlain, type PlainApp } from './plain.ts';

/** Must be called inside `withApi` of `current-api.ts`. */
export type HttpApp = (request: Request) => Promise<Response>;

/** Returns undefined if `app` is not an object with a method `fetch(request)`. */
export async function mountApp(app: unknown): Promise<HttpApp | undefined> {
  if ((typeof app !== 'object' && typeof app !== 'function') || app === null) return undefined;
  if (!('fetch' in app) || typeof app.fetch !== 'function') return undefined;
  if (isHono(app)) return mountHono(app);
  return isElysia(app) ? mountElysia(app) : mountPlain(app as PlainApp);
}
