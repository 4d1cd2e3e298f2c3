/** Lists in a query: LangGraph's clients send a parameter once for each element. */

/** Undefined if the parameter is missing. */
export function repeated(request: Request, name: string): string[] | undefined {
  const all = new URL(request.url).searchParams.getAll(name);
  return all.length > 0 ? all : undefined;
}
