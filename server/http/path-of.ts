/** The path of a request's URL. It is parsed once per request, because many hooks need it. */

const paths = new WeakMap<Request, string>();

export function pathOf(request: Request): string {
  const known = paths.get(request);
  if (known !== undefined) return known;
  const { pathname } = new URL(request.url, 'http://localhost');
  paths.set(request, pathname);
  return pathname;
}
