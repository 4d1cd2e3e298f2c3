/** Which methods a path has, from the application's own routes. */

export interface RouteTable {
  /** Methods of the routes that match, HEAD beside GET, and the path of the first as it is defined; both empty where none does. */
  at(path: string): { methods: string[]; path: string };
}

export function routeTable(routes: readonly { method: string; path: string }[]): RouteTable {
  const patterns = routes.map(({ method, path }) => ({ method, path, pattern: patternOf(path) }));
  return {
    at(path) {
      const matching = patterns.filter(({ pattern }) => pattern.test(path));
      const methods = matching.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
      return { methods: [...new Set(methods)], path: matching[0]?.path ?? '' };
    },
  };
}

function patternOf(path: string): RegExp {
  const parts = path
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : RegExp.escape(part)));
  return new RegExp(`^${parts.join('/')}/?$`);
}
