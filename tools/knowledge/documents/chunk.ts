/** The parts of a document: passages for the search, and the larger sections around them for reading. */
import type { Span } from '../library.ts';

/** Increment it when reading or cutting changes, so that indexes of earlier versions are rebuilt. */
export const CUTTING = 3;

export interface ChunkedDocument {
  /** In the order of the text. */
  chunks: Chunk[];
  parents: Parent[];
}

export interface Chunk extends Span {
  /** A hash of document, position and text. */
  id: string;
  text: string;
  /** The section around it. */
  parent: string;
}

export interface Parent {
  id: string;
  text: string;
}
