/** What runs have used, counted when they end: by day, caller, workflow and model. It outlives the runs. */
import type { RunUsage } from './runs.ts';

export const USAGE_GROUPS = ['workflow', 'model', 'caller', 'day'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export interface UsageQuery {
  /** Undefined: of all callers. */
  owner?: string | undefined;
  /** Days of UTC, as in 2026-11-23, both included. */
  from: string;
  to: string;
  by: UsageGroup;
}

export interface GroupUsage {
  /** The workflow, the model, the caller or the day. */
  group: string;
  /** Runs that have ended; of a model: those that called it. */
  runs: number;
  inputTokens: number;
  outputTokens: number;
  /** In the currency of the prices; 0 where no model has one. */
  cost: number;
}

/** What a caller has used without a run. */
interface UsedApart {
  owner: string;
  workflow: string;
  usage: RunUsage;
  /** Milliseconds since 1970. */
  at: number;
}

export interface UsageStore {
  /** Adds to the sums; no run is counted. */
  add(used: UsedApart): Promise<void>;
  /** In the order of their groups. */
  sums(query: UsageQuery): Promise<GroupUsage[]>;
}
