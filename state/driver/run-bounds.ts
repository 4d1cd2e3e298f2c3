/** Bounds of a listing of runs: the index that it uses, the range of ids, and how many runs a page scans. */

import type { SearchQuery } from '../search/search.ts';
import type { RunFilter } from '../threads/archive.ts';

/** The maximum per page if no index supports the filter. Takes a few milliseconds. */
export const MAX_SCANNED_RUNS = 2_000;

const UNINDEXED = ['minDurationMs', 'minTokens', 'minCost', 'errorCode', 'prompt', 'feedback'] as const;

export function needsScan(filter: RunFilter): boolean {
  return UNINDEXED.some((name) => filter[name] !== undefined);
}

/** Whether a search has filters besides the words, which are checked for each matching text. */
export function hasFilters({ owner: _, words: __, ...filter }: SearchQuery): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

type Field = 'thread' | 'owner' | 'workflow' | 'status';

/** The fields that the index of a listing compares. All runs in the scanned range match them. */
export function indexedFields({ owner, thread, status, workflow }: RunFilter): Field[] {
  if (thread !== undefined) return ['thread'];
  const own: Field[] = owner === null ? [] : ['owner'];
  if (status && status !== 'succeeded') return [...own, 'status'];
  return owner !== null && workflow !== undefined ? ['owner', 'workflow'] : own;
}

/** The filter's conditions on columns of a run. */
export function columnFilters({ owner, thread, workflow, status }: RunFilter): [Field, string][] {
  const conditions = Object.entries({ thread, owner: owner ?? undefined, workflow, status });
  return conditions.filter((condition): condition is [Field, string] => condition[1] !== undefined);
}

// The clocks of servers differ, and a run's id is created before `created_at` is read.
const SLACK_MS = 60_000;
const LAST_MS = 2 ** 48 - 1;

/** The range of ids of the runs accepted in this time, with some tolerance: from `least`, inclusive, to `limit`, exclusive. */
export function idsWithin({ from, until }: Pick<RunFilter, 'from' | 'until'>) {
  return {
    least: from === undefined ? undefined : firstIdAt(from - SLACK_MS),
    limit: until === undefined ? undefined : firstIdAt(until + SLACK_MS),
  };
}

/** The first 48 bits of a UUIDv7 are its time in milliseconds: https://www.rfc-editor.org/rfc/rfc9562#section-5.7 */
function firstIdAt(milliseconds: number): string {
  const time = Math.min(Math.max(0, Math.floor(milliseconds)), LAST_MS);
  const digits = time.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
