/** Every route of the service as a chain of properties, as the typed client has it: its types, in a few lines. */
import type { createClient } from '../client/client.ts';
import type { Fetch } from '../client/options.ts';

type Client = ReturnType<typeof createClient>;

interface Asked {
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  fetch?: RequestInit;
}

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete']);

/** A parameter of a path is given as `{ name: value }`, encoded; answers are `{ data, error, response }`. */
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
      const [body, asked] = method === 'get' ? [undefined, given[0]] : given;
      return send(`${path}${queryOf(asked as Asked)}`, {
        ...(asked as Asked | undefined)?.fetch,
        method: method.toUpperCase(),
        headers: { ...(body !== undefined && JSON_TYPE), ...(asked as Asked | undefined)?.headers },
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

function queryOf({ query = {} }: Asked = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}
