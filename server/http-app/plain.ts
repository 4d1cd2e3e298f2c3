/** Mounts an app of which nothing is known but its `fetch`: a 404, or no answer, leaves a request to the API. */
import { answerOfApi, incoming } from './incoming.ts';

export interface PlainApp {
  fetch(request: Request): unknown;
}

export function mountPlain(app: PlainApp): (request: Request) => Promise<Response> {
  return async (request) => {
    // Where the API has no such path, the 404 of the app says more.
    if (!incoming()?.serves(new URL(request.url).pathname))
      return responseOf(await app.fetch(request)) ?? answerOfApi(request);
    const offered = request.clone() as Request;
    const response = responseOf(await app.fetch(offered));
    if (response && response.status !== 404) return response;
    // Else everything that the API reads would be held for this copy too. Resolves only when the API's copy ends as well.
    if (offered.body && !offered.body.locked) void offered.body.cancel().catch(() => {});
    return answerOfApi(request);
  };
}

/** Told apart by what it can do: frameworks bring classes of their own. */
function responseOf(given: unknown): Response | undefined {
  const { status, headers } = (given ?? {}) as Partial<Response>;
  return typeof status === 'number' && typeof headers === 'object' ? (given as Response) : undefined;
}
