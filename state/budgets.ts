/** Standing budgets: what model calls have used in a period, and what those under way may use, over all servers. */

import { sumOfCosts } from './costs.ts';

export interface Amount {
  tokens: number;
  /** In the currency of the prices. */
  cost: number;
}

export const NOTHING: Readonly<Amount> = { tokens: 0, cost: 0 };

export interface BudgetLimit extends Partial<Amount> {
  /** Names the period, and whose calls are counted. */
  scope: string;
  /** The end of the period, in milliseconds since 1970: some time later the scope is forgotten. */
  endsAt: number;
}

export interface AskedRoom {
  /** Without room for this, nothing is reserved. */
  least: Amount;
  most: Amount;
}

export type BudgetAnswer =
  | { outcome: 'reserved'; reservation: Reservation }
  /** `limit`: the place of the first one without room; `waits`: there may be room when calls under way have ended. */
  | { outcome: 'full'; limit: number; waits: boolean };

export interface Reservation {
  /** Counts what was used in place of what was reserved. */
  settle(used: Amount): void;
}

export interface BudgetStore {
  /**
   * Reserves under all limits, or under none: as much as there is room for under each, at most `most`. What a process
   * had reserved that is gone is free again.
   */
  reserve(limits: readonly BudgetLimit[], asked: AskedRoom): Promise<BudgetAnswer>;
  /** What was used under each scope, without reservations. */
  used(scopes: readonly string[]): Promise<Amount[]>;
  /** Resolves when what was settled before survives the end of this process, or could not be written yet. */
  counted(): Promise<void>;
}

export function added(a: Amount, b: Amount): Amount {
  return { tokens: a.tokens + b.tokens, cost: sumOfCosts(a.cost, b.cost) };
}

export function subtracted(a: Amount, b: Amount): Amount {
  return { tokens: Math.max(0, a.tokens - b.tokens), cost: Math.max(0, sumOfCosts(a.cost, -b.cost)) };
}

/** Sums of costs are exact to so much. */
export const COST_TOLERANCE = 1e-9;
