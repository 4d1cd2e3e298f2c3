/** Requests to the service that serves this page. */
import { SkeinApiError } from '../../client/api-error.ts';
import { BASE_PATH } from '../routing/base-path.ts';
import { sessionFetch } from '../session/session.ts';
import { routesAt } from './routes.ts';

/** The service's address, without a trailing slash. */
export const SERVICE = location.origin + BASE_PATH;

/** Options for the client's streams, which reconnect to their run no matter how long the service is unreachable. */
export const options = {
  fetch: sessionFetch,
  retry: { rejoinAttempts: Number.POSITIVE_INFINITY, longestDelayMs: 2_000 },
};

export const api = routesAt(SERVICE, sessionFetch).api.v1;

interface Answered<T> {
  data: T;
  error: { value: unknown } | null;
  response: Response;
}

/** The body of a response; throws SkeinApiError if the status is an error. */
export async function ask<T>(answered: Promise<Answered<T>>): Promise<NonNullable<T>> {
  const { data, error, response } = await answered.catch((cause) => {
    throw new Error("Can't reach the service", { cause });
  });
  if (error) throw new SkeinApiError(bodyOf(error.value), response);
  return data as NonNullable<T>;
}

/** The text of a response that isn't JSON. `path` begins with a slash. */
export async function askText(path: string): Promise<string> {
  return (await askWhole(path)).text();
}

/** A response with its headers. */
export async function askWhole(path: string): Promise<Response> {
  const response = await sessionFetch(`${SERVICE}${path}`).catch((cause) => {
    throw new Error("Can't reach the service", { cause });
  });
  return accepted(response);
}

/** Returns the response; throws SkeinApiError if its status is an error. */
export async function accepted(response: Response): Promise<Response> {
  if (!response.ok) throw new SkeinApiError(bodyOf(parsed(await response.text())), response);
  return response;
}

function bodyOf(value: unknown): object {
  const body = typeof value === 'string' ? parsed(value) : value;
  return typeof body === 'object' && body !== null ? body : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
