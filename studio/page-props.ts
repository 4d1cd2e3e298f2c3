/** What a page is given of its address. */

export interface PageProps {
  /** The parts of the path, decoded. */
  params: Record<string, string>;
  query: URLSearchParams;
}
