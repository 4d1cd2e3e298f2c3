/** Looks up which methods a path supports. */

export interface RouteTable {
  /**
   * Returns the methods of the routes that match (with HEAD for GET) and the pattern of the first. Both are empty without a
   * match. Only the routes with the fewest parameters count: `/threads/search` is not a thread.
   */
  at(path: string): { methods: string[]; path: string };
}

/** `routes` have Elysia's patterns, with `:name` and `*`. */
export function routeTable(routes: readonly { method: string; path: string }[]): RouteTable {
  const patterns = routes.map(({ method, path }) => ({
    ...{ method, path, pattern: patternOf(path), parameters: path.split('/').filter(isParameter).length },
  }));
  return {
    at(path) {
      const all = patterns.filter(({ pattern }) => pattern.test(path));
      const fewest = Math.min(...all.map(({ parameters }) => parameters));
      const matching = all.filter(({ parameters }) => parameters === fewest);
      const methods = matching.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
      return { methods: [...new Set(methods)], path: matching[0]?.path ?? '' };
    },
  };
}

const isParameter = (part: string) => part.startsWith(':') || part === '*';

function patternOf(path: string): RegExp {
  const parts = path
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : RegExp.escape(part)));
  return new RegExp(`^${parts.join('/')}/?$`);
}
