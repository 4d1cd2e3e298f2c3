/** Full-text search in runs. */
import { api, ask } from '../service/service.ts';
import type { RunFilter } from './runs/runs.ts';
import { omitEmpty } from './threads/threads.ts';

export const KINDS = {
  question: 'Questions',
  answer: 'Answers',
  output: 'Agent outputs',
  error: 'Errors',
  tool_call: 'Tool calls',
} as const;
export type Kind = keyof typeof KINDS;

/** Filters by kind of text and by properties of the run. */
export interface SearchFilter extends RunFilter {
  q: string;
  kind?: Kind | undefined;
}

export function searchRuns(
  { q, ...filter }: SearchFilter,
  page: { cursor?: string | undefined; limit?: number } = {},
) {
  const { cursor, limit = 30 } = page;
  return ask(
    api.search.get({ query: { q, ...omitEmpty(filter), ...omitEmpty({ cursor }), limit: String(limit) } }),
  );
}

export type Hit = Awaited<ReturnType<typeof searchRuns>>['hits'][number];

/** Whether the text has a word to search for. */
export const isSearchable = (text: string) => /[\p{L}\p{N}]/u.test(text);
