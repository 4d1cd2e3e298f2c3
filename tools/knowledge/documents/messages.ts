/** What the service and a process that reads documents say to each other. */
import type { ChunkedDocument } from './chunk.ts';
import type { Bounds } from './extract.ts';
import type { Ending } from './formats.ts';

/** A line of JSON, followed by `bytes` bytes: the document. */
export interface Task {
  name: string;
  ending: Ending;
  bytes: number;
  /** Of processor time that reading it may take. */
  seconds: number;
  bounds: Bounds;
}

/** The signal by which a process ends itself when a document took more processor time than it may. */
export const TOO_SLOW = 'SIGALRM';

/** Lines of JSON: parts of a document, each acknowledged with an empty line, then one that ends it. */
export type Answer =
  | { is: 'part'; part: ChunkedDocument }
  | { is: 'read' }
  | { is: 'unreadable'; reason: string };
