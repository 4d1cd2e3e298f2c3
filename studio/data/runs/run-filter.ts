/** The filters of the list of runs: in the page's address, in the service's query, and as text. */
import { costText } from '../../parts/formats/cost.tsx';
import { durationText } from '../../parts/formats/time.tsx';
import { filledPage, type ListPage } from '../../service/use-pages.ts';
import { listRuns, type Run, type RunFilter, STATUS_LABELS } from './runs.ts';

const LABELS = {
  workflow: (name) => `workflow ${name}`,
  status: (status) => `status ${(STATUS_LABELS as Record<string, string>)[status]?.toLowerCase() ?? status}`,
  from: (time) => `since ${timeText(time)}`,
  to: (time) => `before ${timeText(time)}`,
  min_duration_ms: (time) => `at least ${durationText(Number(time))}`,
  min_tokens: (count) => `at least ${Number(count).toLocaleString()} tokens`,
  min_cost: (cost) => `cost of at least ${costText(Number(cost))}`,
  error_code: (code) => `error ${code}`,
  prompt: (file) => `prompt file ${file}`,
  prompt_revision: (revision) => `revision ${revision}`,
  prompt_version: (version) => (version === '0' ? 'shipped version' : `version ${version}`),
  feedback: (feedback) => `${feedback} feedback`,
} satisfies { [name in keyof RunFilter]-?: (value: string) => string };

export type FilterName = keyof typeof LABELS;

export const FILTER_NAMES = Object.keys(LABELS) as FilterName[];

/** Doesn't check the values: the service rejects invalid ones with the name of the field. */
export function filterIn(query: URLSearchParams): RunFilter {
  const given = FILTER_NAMES.map((name) => [name, query.get(name) || undefined] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as RunFilter;
}

export interface ActiveFilter {
  name: FilterName;
  label: string;
}

export function activeFilters(filter: RunFilter): ActiveFilter[] {
  return FILTER_NAMES.flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [{ name, label: LABELS[name](value) }];
  });
}

/** The changes that remove a filter. Revision and version are removed together with the prompt file that they belong to. */
export function without(name: FilterName): Partial<Record<FilterName, undefined>> {
  return {
    [name]: undefined,
    ...(name === 'prompt' && { prompt_revision: undefined, prompt_version: undefined }),
  };
}

/** The next page of runs that isn't empty, if there is one within the next pages from the service. */
export const findRuns = (filter: RunFilter, cursor?: string, limit?: number): Promise<ListPage<Run>> =>
  filledPage(async (from) => {
    const { runs, next_cursor } = await listRuns(filter, from, limit);
    return { items: runs, next: next_cursor };
  }, cursor);

/** Each filter without which there would be results. */
export async function blockingFilters(filter: RunFilter): Promise<ActiveFilter[]> {
  const checked = activeFilters(filter).map(async (one) => {
    const { items } = await findRuns({ ...filter, ...without(one.name) }, undefined, 1);
    return items.length > 0 ? [one] : [];
  });
  return (await Promise.all(checked)).flat();
}

const TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

function timeText(text: string): string {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : TIME.format(time);
}
