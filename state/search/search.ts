/** Finding runs by what was said in them: an index of words, which ended runs are added to later, so that turns pay nothing. */
import type { Page, PageRequest, RunFilter } from '../archive.ts';
import type { RunStatus } from '../runs.ts';
import type { SearchWord } from './words.ts';

export const TEXT_KINDS = ['question', 'answer', 'output', 'error', 'tool_call'] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

/** The filter is that of the run whose text it is. */
export interface SearchQuery extends Omit<RunFilter, 'thread'> {
  /** A text has all of them. */
  words: SearchWord[];
  kind?: TextKind | undefined;
}

/** A text of a run that has the words. */
export interface SearchHit {
  kind: TextKind;
  /** The agent of an output, the tool of a call. */
  name: string | null;
  text: string;
  runId: string;
  threadId: string;
  owner: string;
  workflow: string;
  status: RunStatus;
  createdAt: number;
}

export interface RunSearch {
  /** Adds the texts of at most so many ended runs, and gives how many were added. */
  add(most: number): Promise<number>;
  /** The newest first. With filters, a page looks at 2,000 texts with these words: it may be empty and not the last. */
  find(query: SearchQuery, page: PageRequest<[entry: number]>): Promise<Page<SearchHit>>;
}
