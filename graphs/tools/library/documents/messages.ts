/** What the service and a process that reads documents say to each other. */
import type { Chunk, Parent } from './chunk.ts';
import type { Bounds } from './extract.ts';
import type { Ending } from './formats.ts';

/** A line of JSON, followed by `bytes` bytes: the document. */
export interface Task {
  name: string;
  ending: Ending;
  bytes: number;
  bounds: Bounds;
}

/** Lines of JSON: parts of a document, and what ends it. */
export type Answer =
  | { is: 'chunks'; chunks: Chunk[] }
  | { is: 'parents'; parents: Parent[] }
  | { is: 'read' }
  | { is: 'unreadable'; reason: string };
