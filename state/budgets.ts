/** Standing budgets: what model calls have used in a period, and what running ones may still use, over all servers. */

import { sumOfCosts } from './costs.ts';

export interface Amount {
  tokens: number;
  /** In the currency of the prices. */
  cost: number;
}

export const NOTHING: Readonly<Amount> = { tokens: 0, cost: 0 };

export interface BudgetLimit extends Partial<Amount> {
  /** Names the period and the callers that are counted. */
  scope: string;
  /** The end of the period, in milliseconds since 1970; the scope is deleted some time later. */
  endsAt: number;
}

export interface AskedRoom {
  /** Nothing is reserved if less than this is available. */
  least: Amount;
  most: Amount;
}

export type BudgetAnswer =
  | { outcome: 'reserved'; reservation: Reservation }
  /** `limit`: the index of the first exhausted one; `waits`: running calls may free some of it. */
  | { outcome: 'full'; limit: number; waits: boolean };

export interface Reservation {
  /** Replaces the reservation by the actual usage. */
  settle(used: Amount): void;
}

export interface BudgetStore {
  /**
   * Reserves under all limits, or under none: as much as there is room for under each, at most `most`. What a process
   * had reserved that is gone is free again.
   */
  reserve(limits: readonly BudgetLimit[], asked: AskedRoom): Promise<BudgetAnswer>;
  /** What was used in each scope, without reservations. */
  used(scopes: readonly string[]): Promise<Amount[]>;
  /** Resolves when earlier settlements are durable, or could not be written yet. */
  counted(): Promise<void>;
}

export function added(a: Amount, b: Amount): Amount {
  return { tokens: a.tokens + b.tokens, cost: sumOfCosts(a.cost, b.cost) };
}

export function subtracted(a: Amount, b: Amount): Amount {
  return { tokens: Math.max(0, a.tokens - b.tokens), cost: Math.max(0, sumOfCosts(a.cost, -b.cost)) };
}

/** The precision of cost sums. */
export const COST_TOLERANCE = 1e-9;
