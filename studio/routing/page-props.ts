/** The props of every page component, from its address. */

export interface PageProps {
  /** The parameters of the path, decoded. */
  params: Record<string, string>;
  query: URLSearchParams;
}
