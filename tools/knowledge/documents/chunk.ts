/** What a document is cut into: passages that are searched, and the larger parts around them that are read. */
import type { Span } from '../library.ts';

/** Counts up when documents come to be read or cut in another way: an index of the way before is built again. */
export const CUTTING = 3;

export interface ChunkedDocument {
  /** In the order of the text. */
  chunks: Chunk[];
  parents: Parent[];
}

export interface Chunk extends Span {
  /** A hash of document, place and text. */
  id: string;
  text: string;
  /** The part around it. */
  parent: string;
}

export interface Parent {
  id: string;
  text: string;
}
