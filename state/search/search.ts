/** Finding runs by what was said in them: an index of words, which ended runs are added to later, so that turns pay nothing. */
import type { Page, PageRequest } from '../archive.ts';
import type { RunStatus } from '../runs.ts';
import type { SearchWord } from './words.ts';

export const TEXT_KINDS = ['question', 'answer', 'output', 'error', 'tool_call'] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

export interface SearchQuery {
  /** Null: everybody's. */
  owner: string | null;
  /** A text has all of them. */
  words: SearchWord[];
  kind?: TextKind | undefined;
  workflow?: string | undefined;
  status?: RunStatus | undefined;
  /** Milliseconds since 1970 of the run's acceptance: from, included, and until, excluded. */
  from?: number | undefined;
  until?: number | undefined;
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
  /** The newest first. */
  find(query: SearchQuery, page: PageRequest<[entry: number]>): Promise<Page<SearchHit>>;
}
