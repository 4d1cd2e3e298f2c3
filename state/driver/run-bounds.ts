/** What bounds a list of runs: the index that it walks, the times that ids begin with, and how many runs a page looks at. */
import type { RunFilter } from '../archive.ts';
import type { SearchQuery } from '../search/search.ts';

/** Where no index finds what a filter asks for; some milliseconds of reading. */
export const MOST_LOOKED_AT = 2_000;

const UNINDEXED = ['minDurationMs', 'minTokens', 'minCost', 'errorCode', 'prompt', 'feedback'] as const;

export function isLookedThrough(filter: RunFilter): boolean {
  return UNINDEXED.some((name) => filter[name] !== undefined);
}

/** A search walks the texts with its words; all else is checked text by text. */
export function isNarrowed({ owner: _, words: __, ...filter }: SearchQuery): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

type Field = 'thread' | 'owner' | 'workflow' | 'status';

/** The fields by which the index that a list walks finds its runs: every run that it passes has them. */
export function walkedBy({ owner, thread, status, workflow }: RunFilter): Field[] {
  if (thread !== undefined) return ['thread'];
  const own: Field[] = owner === null ? [] : ['owner'];
  if (status && status !== 'succeeded') return [...own, 'status'];
  return owner !== null && workflow !== undefined ? ['owner', 'workflow'] : own;
}

/** What the filter asks of columns of a run. */
export function columnsAsked({ owner, thread, workflow, status }: RunFilter): [Field, string][] {
  const asked = Object.entries({ thread, owner: owner ?? undefined, workflow, status });
  return asked.filter((one): one is [Field, string] => one[1] !== undefined);
}

// The clocks of servers differ, and a run's id is made before its time is read.
const SLACK_MS = 60_000;
const LAST_MS = 2 ** 48 - 1;

/** Of the runs accepted in this time, and of few others: all ids are at `least` or above it, and below `limit`. */
export function idsWithin({ from, until }: Pick<RunFilter, 'from' | 'until'>) {
  return {
    least: from === undefined ? undefined : firstIdAt(from - SLACK_MS),
    limit: until === undefined ? undefined : firstIdAt(until + SLACK_MS),
  };
}

/** The first 48 bits of a UUID of version 7 are its time: https://www.rfc-editor.org/rfc/rfc9562#section-5.7 */
function firstIdAt(milliseconds: number): string {
  const time = Math.min(Math.max(0, Math.floor(milliseconds)), LAST_MS);
  const digits = time.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
