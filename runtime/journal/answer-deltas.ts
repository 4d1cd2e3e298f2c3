/** What a run's entries add to the text of its answer. */
import type { LogEntry } from '../../state/events.ts';

/** Is given the entries in order, and returns what each adds to the answer; '' for nothing that is certain yet. */
export type AnswerDeltas = (entry: LogEntry) => string;

/** Between texts that are not one. */
export const PARAGRAPH = '\n\n';
