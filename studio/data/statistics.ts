/** Statistics of runs over time. */
import { api, ask } from '../service/service.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export type Grouping = 'workflow' | 'prompt';

interface StatisticsQuery {
  /** The length of the period that ends now. */
  days: number;
  by: Grouping;
  /** Undefined for all workflows. */
  workflow: string | undefined;
}

export const readStatistics = ({ days, by: group_by, workflow }: StatisticsQuery) => {
  const from = new Date(Date.now() - days * DAY_MS).toISOString();
  return ask(api.statistics.get({ query: { from, group_by, ...(workflow && { workflow }) } }));
};

export type Statistics = Awaited<ReturnType<typeof readStatistics>>;
export type Figures = Statistics['all'];
export type Group = Statistics['groups'][number];
export type Span = Statistics['spans'][number];
