/** Mounts an app that only has `fetch`. A 404, or no response, passes the request on to the API. */
import { pathOf } from '../http/path-of.ts';
import { callApi, currentApi } from './current-api.ts';

export interface PlainApp {
  fetch(request: Request): unknown;
}

export function mountPlain(app: PlainApp): (request: Request) => Promise<Response> {
  return async (request) => {
    // If the API doesn't have the path either, the app's own 404 is the better response.
    if (!currentApi()?.serves(pathOf(request)))
      return responseOf(await app.fetch(request)) ?? callApi(request);
    const copy = request.clone() as Request;
    const response = responseOf(await app.fetch(copy));
    if (response && response.status !== 404) return response;
    // Without `cancel`, everything that the API reads would be buffered for the copy. Not awaited, because it only resolves when
    // the original body has ended too.
    if (copy.body && !copy.body.locked) void copy.body.cancel().catch(() => {});
    return callApi(request);
  };
}

/** Recognizes a response by its properties, because frameworks have their own response classes. */
function responseOf(given: unknown): Response | undefined {
  const { status, headers } = (given ?? {}) as Partial<Response>;
  return typeof status === 'number' && typeof headers === 'object' ? (given as Response) : undefined;
}
