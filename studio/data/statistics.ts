/** Statistics of runs over time. */
import { api, ask } from '../service.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export type Grouping = 'workflow' | 'prompt';

export const readStatistics = (days: number, group_by: Grouping) =>
  ask(api.statistics.get({ query: { from: new Date(Date.now() - days * DAY_MS).toISOString(), group_by } }));

export type Statistics = Awaited<ReturnType<typeof readStatistics>>;
export type Figures = Statistics['all'];
export type Group = Statistics['groups'][number];
export type Span = Statistics['spans'][number];
