/** The service that this page came from, through the same client as everybody's. */
import { SkeinApiError } from '../client/api-error.ts';
import { BASE_PATH } from './base-path.ts';
import { routesAt } from './routes.ts';
import { sessionFetch } from './session.ts';

/** Its address, without a slash at the end. */
export const SERVICE = location.origin + BASE_PATH;

/** Handed to the client's streams too, which find their run again however long the service is away. */
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

/** What a route answers; throws SkeinApiError for a refusal or a failure. */
export async function ask<T>(answered: Promise<Answered<T>>): Promise<NonNullable<T>> {
  const { data, error, response } = await answered.catch((cause) => {
    throw new Error('The service cannot be reached', { cause });
  });
  if (error) throw new SkeinApiError(bodyOf(error.value), response);
  return data as NonNullable<T>;
}

/** The text of an answer that is no JSON. `path` begins with a slash. */
export async function askText(path: string): Promise<string> {
  return (await askWhole(path)).text();
}

/** An answer with its headers. */
export async function askWhole(path: string): Promise<Response> {
  const response = await sessionFetch(`${SERVICE}${path}`).catch((cause) => {
    throw new Error('The service cannot be reached', { cause });
  });
  return accepted(response);
}

/** Throws SkeinApiError for a refusal or a failure. */
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
