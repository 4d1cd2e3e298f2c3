/** The API for the request that a project's HTTP app is handling, so that the app can pass requests on to it. */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface CurrentApi {
  handle(request: Request): Promise<Response>;
  /** Whether the API has a route with this path. */
  serves(path: string): boolean;
}

// An app may replace the Request object, so a map from requests to APIs would not work.
const current = new AsyncLocalStorage<CurrentApi>();

/** Returns undefined outside of a request. */
export function currentApi(): CurrentApi | undefined {
  return current.getStore();
}

/** Runs `work` with `api` as the current API. */
export function withApi<T>(api: CurrentApi, work: () => T): T {
  return current.run(api, work);
}

/** Responds with 404 outside of a service, such as in an app's own tests. */
export async function callApi(request: Request): Promise<Response> {
  return (await currentApi()?.handle(request)) ?? new Response('Not Found', { status: 404 });
}
