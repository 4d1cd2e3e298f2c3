/** The text that each entry of a run's log adds to its answer. */
import type { LogEntry } from '../../state/threads/events.ts';

/** Takes the entries in order and returns the text that each adds to the answer; '' if none is certain yet. */
export type AnswerDeltas = (entry: LogEntry) => string;

/** Separates messages and blocks. */
export const PARAGRAPH = '\n\n';
