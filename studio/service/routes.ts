/** The routes of the service as chains of properties, with the typed client's types but without its size. */
import type { createClient } from '../../client/client.ts';
import type { Fetch } from '../../client/options.ts';

type Client = ReturnType<typeof createClient>;

interface RequestOptions {
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  fetch?: RequestInit;
}

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete']);

/** Path parameters are `{ name: value }`, with the value already encoded. Calls resolve to `{ data, error, response }`. */
export function routesAt(base: string, fetch: Fetch): Client {
  return at('') as Client;

  function at(path: string): unknown {
    return new Proxy(() => {}, {
      get: (_, name: string) => (METHODS.has(name) ? call(name, path) : at(`${path}/${name}`)),
      apply: (_, __, [parameter]: [Record<string, string>]) => at(`${path}/${Object.values(parameter)[0]}`),
    });
  }

  function call(method: string, path: string) {
    return (...given: unknown[]) => {
      const [body, options] = method === 'get' ? [undefined, given[0]] : given;
      return send(`${path}${queryOf(options as RequestOptions)}`, {
        ...(options as RequestOptions | undefined)?.fetch,
        method: method.toUpperCase(),
        headers: {
          ...(body !== undefined && JSON_TYPE),
          ...(options as RequestOptions | undefined)?.headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    };
  }

  async function send(path: string, init: RequestInit) {
    const response = await fetch(`${base}${path}`, init);
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    const value: unknown = isJson ? await response.json() : await response.text();
    return response.ok
      ? { data: value, error: null, response }
      : { data: null, error: { status: response.status, value }, response };
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };

function queryOf({ query = {} }: RequestOptions = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}
