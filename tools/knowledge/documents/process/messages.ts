/** The messages between the service and a process that reads documents. */
import type { ChunkedDocument } from '../chunk.ts';
import type { Bounds } from '../extract.ts';
import type { Ending } from '../file-extensions.ts';

/** A line of JSON, followed by the document's `bytes` bytes. */
export interface Task {
  name: string;
  ending: Ending;
  bytes: number;
  /** Processor time that reading it may take. */
  seconds: number;
  bounds: Bounds;
}

/** The signal with which a process ends itself when a document exceeds its processor time. */
export const TOO_SLOW = 'SIGALRM';

/** Lines of JSON: parts of a document, each acknowledged with an empty line, then one that ends it. */
export type Answer =
  | { is: 'part'; part: ChunkedDocument }
  | { is: 'read' }
  | { is: 'unreadable'; reason: string };
