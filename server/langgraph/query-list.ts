/** List query parameters. LangGraph's clients repeat the parameter for each element. */

/** Returns undefined if the parameter is missing. */
export function queryList(request: Request, name: string): string[] | undefined {
  const values = new URL(request.url).searchParams.getAll(name);
  return values.length > 0 ? values : undefined;
}
