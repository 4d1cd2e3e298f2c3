/** The request that a project's HTTP app is answering, so that what the app leaves to the API finds the way there. */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Incoming {
  /** Answers with the built-in API. */
  api(request: Request): Promise<Response>;
  /** Whether the API has a route with this path. */
  serves(path: string): boolean;
}

// The app may replace the request with another, so the request itself can't tell where it came from.
const current = new AsyncLocalStorage<Incoming>();

/** Undefined outside of a request. */
export function incoming(): Incoming | undefined {
  return current.getStore();
}

export function within<T>(one: Incoming, work: () => T): T {
  return current.run(one, work);
}

/** Where no service is around the app, as in a test of its own, nothing else can answer. */
export async function answerOfApi(request: Request): Promise<Response> {
  return (await incoming()?.api(request)) ?? new Response('Not Found', { status: 404 });
}
