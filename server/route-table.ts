/** Which methods a path has, from the application's own routes. */

export interface RouteTable {
  /** Methods of the routes that match, HEAD beside GET; empty where none does. */
  methodsOf(path: string): string[];
}

export function routeTable(routes: readonly { method: string; path: string }[]): RouteTable {
  const patterns = routes.map(({ method, path }) => ({ method, pattern: patternOf(path) }));
  return {
    methodsOf(path) {
      const methods = patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
      return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
    },
  };
}

function patternOf(path: string): RegExp {
  const parts = path
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : RegExp.escape(part)));
  return new RegExp(`^${parts.join('/')}/?$`);
}
