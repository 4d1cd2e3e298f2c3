/** Full-text search in runs. Ended runs are indexed in the background, so that indexing doesn't slow down turns. */
import type { Page, PageRequest, RunFilter } from '../threads/archive.ts';
import type { RunStatus } from '../threads/runs.ts';
import type { SearchWord } from './words.ts';

export const TEXT_KINDS = ['question', 'answer', 'output', 'error', 'tool_call'] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

/** The filter applies to the run of the text. */
export interface SearchQuery extends Omit<RunFilter, 'thread'> {
  /** A text must contain all of them. */
  words: SearchWord[];
  kind?: TextKind | undefined;
}

/** A text of a run that matches the query. */
export interface SearchHit {
  kind: TextKind;
  /** The agent of an output or the tool of a tool call; otherwise null. */
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
  /** Adds at most `most` ended runs to the index; returns how many were added. */
  add(most: number): Promise<number>;
  /** Newest first. With filters, a page scans at most 2,000 matching texts, so a page that is not the last may be empty. */
  find(query: SearchQuery, page: PageRequest<[entry: number]>): Promise<Page<SearchHit>>;
}
