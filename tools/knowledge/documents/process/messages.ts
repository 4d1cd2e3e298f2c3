/** The messages between the service and a process that reads documents. */
import type { ChunkedDocument } from '../chunk.ts';
import type { Bounds } from '../extract.ts';
import type { Ending } from '../file-extensions.ts';

/** A line of JSON, followed by the document's `bytes` bytes. */
export interface Task {
  name: string;
  ending: Ending;
  bytes: number;
  /** The maximum processor time for reading the document, in seconds. */
  seconds: number;
  bounds: Bounds;
}

/** The signal with which a process ends itself when a document exceeds its processor time. */
export const TOO_SLOW = 'SIGALRM';

/** A line of JSON. The service acknowledges each part with an empty line. Another line ends the answer. */
export type Answer =
  | { is: 'part'; part: ChunkedDocument }
  | { is: 'read' }
  | { is: 'unreadable'; reason: string };
