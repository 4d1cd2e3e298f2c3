/** Standing budgets: the usage of a period, and reservations for running model calls, across all servers. */

import { sumOfCosts } from '../costs.ts';

export interface Amount {
  tokens: number;
  /** In the currency of the prices. */
  cost: number;
}

export const NOTHING: Readonly<Amount> = { tokens: 0, cost: 0 };

export interface BudgetLimit extends Partial<Amount> {
  /** Identifies the period and the callers whose usage is counted. */
  scope: string;
  /** The end of the period, in milliseconds since 1970; the scope is deleted some time later. */
  endsAt: number;
}

export interface BudgetRequest {
  /** Nothing is reserved if less than this is available. */
  least: Amount;
  most: Amount;
}

export type BudgetAnswer =
  | { outcome: 'reserved'; reservation: Reservation }
  /** `limit`: the index of the first exhausted limit; `waits`: running calls may release part of it. */
  | { outcome: 'full'; limit: number; waits: boolean };

export interface Reservation {
  /** Replaces the reservation by the actual usage. */
  settle(used: Amount): void;
}

export interface BudgetStore {
  /**
   * Reserves the same amount under all limits, or nothing: at most `most`, and at most what is available under each limit.
   * Reservations of a process that has ended are released.
   */
  reserve(limits: readonly BudgetLimit[], request: BudgetRequest): Promise<BudgetAnswer>;
  /** The usage of each scope, without reservations. */
  used(scopes: readonly string[]): Promise<Amount[]>;
  /** Resolves when earlier settlements are durable, or when writing them has failed and will be retried. */
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
