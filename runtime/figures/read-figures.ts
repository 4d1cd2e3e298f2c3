/** Aggregates the newest runs of a period, by group and by time span. */
import type { Archive, PageRequest, RunFilter } from '../../state/threads/archive.ts';
import type { Run } from '../../state/threads/runs.ts';
import { type FigureSums, type Figures, figureSums } from './run-figures.ts';

export const FIGURE_GROUPS = ['workflow', 'prompt'] as const;
export type FigureGroup = (typeof FIGURE_GROUPS)[number];

export interface FiguresQuery {
  filter: Pick<RunFilter, 'owner' | 'workflow'>;
  /** When the runs were accepted, in milliseconds since 1970: from `from` to before `until`. */
  from: number;
  until: number;
  by: FigureGroup;
}

interface PromptName {
  filename: string;
  revision: string;
  version: number | null;
}

export interface RunFigures {
  all: Figures;
  /** False if the period has more runs than are read; then the oldest are missing. */
  isComplete: boolean;
  spanMs: number;
  /** In chronological order from the span that contains `from`, including empty spans. */
  spans: { start: number; figures: Figures }[];
  /** Groups with the most runs first. A run counts for each prompt file that it rendered. */
  groups: { workflow?: string; prompt?: PromptName; figures: Figures }[];
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
// A period of more hours is divided into days, one of more days into spans of several days.
const MAX_HOURS = 48;
const MAX_DAYS = 92;

/** Reading a hundred runs takes a few milliseconds. */
const PAGE = 100;
const MAX_RUNS = 5_000;

export async function readFigures(archive: Pick<Archive, 'runs'>, query: FiguresQuery): Promise<RunFigures> {
  const { from, until, by } = query;
  const spanMs = spanOf(until - from);
  const all = figureSums();
  const spans = new Map<number, FigureSums>();
  for (let start = from - (from % spanMs); start < until; start += spanMs) spans.set(start, figureSums());
  const groups = new Map<string, { name: GroupName; sums: FigureSums }>();
  const isComplete = await eachRun(archive, query, (run) => {
    all.add(run);
    spans.get(run.createdAt - (run.createdAt % spanMs))?.add(run);
    for (const name of namesOf(run, by)) {
      const key = JSON.stringify(name);
      const group = groups.get(key) ?? { name, sums: figureSums() };
      group.sums.add(run);
      groups.set(key, group);
    }
  });
  return {
    all: all.figures(),
    isComplete,
    spanMs,
    spans: Array.from(spans, ([start, sums]) => ({ start, figures: sums.figures() })),
    groups: Array.from(groups.values(), ({ name, sums }) => ({ ...name, figures: sums.figures() })).sort(
      (a, b) => b.figures.runs - a.figures.runs,
    ),
  };
}

/** Calls `use` for the newest runs up to the limit. Returns whether those were all. */
async function eachRun(
  archive: Pick<Archive, 'runs'>,
  { filter, from, until }: FiguresQuery,
  use: (run: Run) => void,
): Promise<boolean> {
  let after: PageRequest<[string]>['after'];
  let used = 0;
  do {
    const { items, next } = await archive.runs({ ...filter, from, until }, { limit: PAGE, after });
    for (const run of items) {
      if (used === MAX_RUNS) return false;
      used++;
      use(run);
    }
    after = next === null ? undefined : [String(next[0])];
    // Let the event loop handle other work.
    await Bun.sleep(0);
  } while (after);
  return true;
}

function spanOf(time: number): number {
  if (time <= MAX_HOURS * HOUR_MS) return HOUR_MS;
  return Math.ceil(time / (MAX_DAYS * DAY_MS)) * DAY_MS;
}

type GroupName = { workflow: string } | { prompt: PromptName };

function namesOf({ workflow, agents }: Run, by: FigureGroup): GroupName[] {
  if (by === 'workflow') return [{ workflow }];
  const names = new Map<string, GroupName>();
  for (const { prompts } of agents)
    for (const { filename, revision_id: revision, version } of prompts)
      names.set(`${filename}\n${revision}\n${version}`, { prompt: { filename, revision, version } });
  return [...names.values()];
}
