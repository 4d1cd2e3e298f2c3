/** The usage of ended runs by day, caller, workflow and model. It is kept when runs are deleted. */
import type { RunUsage } from '../threads/runs.ts';

export const USAGE_GROUPS = ['workflow', 'model', 'caller', 'day'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export interface UsageQuery {
  /** Undefined: all callers. */
  owner?: string | undefined;
  /** Days in UTC such as 2026-11-23, both inclusive. */
  from: string;
  to: string;
  by: UsageGroup;
}

export interface GroupUsage {
  /** The workflow, the model, the caller or the day. */
  group: string;
  /** The number of ended runs; for a model, those that called it. */
  runs: number;
  inputTokens: number;
  outputTokens: number;
  /** In the currency of the prices; 0 if no model has a price. */
  cost: number;
}

/** A caller's usage outside of runs. */
interface UsageOutsideRuns {
  owner: string;
  workflow: string;
  usage: RunUsage;
  /** Milliseconds since 1970. */
  at: number;
}

export interface UsageStore {
  /** Adds to the sums without counting a run. */
  add(used: UsageOutsideRuns): Promise<void>;
  /** Sorted by group. */
  sums(query: UsageQuery): Promise<GroupUsage[]>;
}
