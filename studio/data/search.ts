/** What was said in runs, found by its words. */

import { api, ask } from '../service.ts';
import type { RunFilter } from './runs.ts';
import { given } from './threads.ts';

export const KINDS = {
  question: 'Questions',
  answer: 'Answers',
  output: 'Outputs of agents',
  error: 'Errors',
  tool_call: 'Tool calls',
} as const;
export type Kind = keyof typeof KINDS;

/** The other filters are those of the run whose text it is. */
export interface SearchFilter extends RunFilter {
  q: string;
  kind?: Kind | undefined;
}

export function searchRuns(
  { q, ...filter }: SearchFilter,
  page: { cursor?: string | undefined; limit?: number } = {},
) {
  const { cursor, limit = 30 } = page;
  return ask(api.search.get({ query: { q, ...given(filter), ...given({ cursor }), limit: String(limit) } }));
}

export type Hit = Awaited<ReturnType<typeof searchRuns>>['hits'][number];

/** Whether there is a word in it to search for. */
export const isSearchable = (text: string) => /[\p{L}\p{N}]/u.test(text);
