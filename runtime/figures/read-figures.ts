/** Reads the newest runs of a time, and sums them by group and by span of time. */
import type { Archive, PageRequest, RunFilter } from '../../state/archive.ts';
import type { Run } from '../../state/runs.ts';
import { type FigureSums, type Figures, figureSums } from './run-figures.ts';

export const FIGURE_GROUPS = ['workflow', 'prompt'] as const;
export type FigureGroup = (typeof FIGURE_GROUPS)[number];

export interface FiguresQuery {
  filter: Pick<RunFilter, 'owner' | 'workflow'>;
  /** Milliseconds since 1970 of the runs' acceptance: from, included, and until, excluded. */
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
  /** False where older runs of the time are not counted. */
  isComplete: boolean;
  spanMs: number;
  /** In the order of time, from the span that has `from`; empty ones too. */
  spans: { start: number; figures: Figures }[];
  /** Those with the most runs first. A run counts for each prompt file that it rendered. */
  groups: { workflow?: string; prompt?: PromptName; figures: Figures }[];
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
// Until there are too many to look at.
const MOST_HOURS = 48;
const MOST_DAYS = 92;

/** A hundred runs are some milliseconds of work. */
const PAGE = 100;
const MOST_RUNS = 5_000;

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

/** Newest first, as many as may be; gives whether those were all. */
async function eachRun(
  archive: Pick<Archive, 'runs'>,
  { filter, from, until }: FiguresQuery,
  use: (run: Run) => void,
): Promise<boolean> {
  let after: PageRequest<[string]>['after'];
  let used = 0;
  do {
    const { items, next } = await archive.runs(filter, { limit: PAGE, after });
    for (const run of items) {
      if (run.createdAt < from) return true;
      if (run.createdAt >= until) continue;
      if (used === MOST_RUNS) return false;
      used++;
      use(run);
    }
    after = next === null ? undefined : [String(next[0])];
    // Others have their turn.
    await Bun.sleep(0);
  } while (after);
  return true;
}

function spanOf(time: number): number {
  if (time <= MOST_HOURS * HOUR_MS) return HOUR_MS;
  return Math.ceil(time / (MOST_DAYS * DAY_MS)) * DAY_MS;
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
