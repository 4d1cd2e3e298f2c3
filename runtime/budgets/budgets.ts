/** Budgets per day or month: finds those that apply to a caller's runs, and reserves amounts for their model calls. */

import { SkeinError } from '../../state/errors.ts';
import {
  type Amount,
  type BudgetAnswer,
  type BudgetLimit,
  type BudgetStore,
  NOTHING,
} from '../../state/usage/budgets.ts';
import type { ModelUse, PlannedCall, Reserved, TokenMeter } from '../../tools/models/usage/meter.ts';
import { costOf } from '../../tools/models/usage/price.ts';
import type { BudgetOptions } from './options.ts';
import { periodAt } from './period.ts';

export interface Budgets {
  /** The budgets for a caller's runs of a workflow; undefined if none applies. */
  of(owner: string, workflow: string): CallerBudgets | undefined;
}

export interface CallerBudgets {
  /** Throws BUDGET_EXCEEDED with status 429 if a budget is used up. */
  refuseUsedUp(): Promise<void>;
  /**
   * Waits up to 5 s for other calls to free their reservations. Throws BUDGET_EXCEEDED if the call could exceed a budget,
   * STATE_UNAVAILABLE, or the reason of `signal`.
   */
  reserve(call: PlannedCall, signal: AbortSignal): Promise<Reserved>;
}

/** The tokens reserved for an answer without a length limit; fewer if the budget has fewer left. */
const LONG_ANSWER_TOKENS = 4_096;
/** How long a call waits for other calls to free their reservations. */
const WAIT_MS = 5_000;
/** The polling interval, because other servers don't announce the reservations that they free. */
const LOOK_MS = 100;
/** How long calls may continue after their run's end before their reservations are freed. */
const LEFT_MS = 10_000;

export function standingBudgets(
  options: readonly BudgetOptions[],
  store: BudgetStore,
  now: () => number = Date.now,
): Budgets {
  const listed = options.map((budget, index) => ({ ...budget, index }));
  let settled = Promise.withResolvers<void>();

  function limitOf({ per, caller, workflow, tokens, cost }: BudgetOptions): BudgetLimit {
    const { name, endsAt } = periodAt(per, now());
    return { scope: JSON.stringify([name, caller ?? null, workflow ?? null]), endsAt, tokens, cost };
  }

  function announce(): void {
    const { resolve } = settled;
    settled = Promise.withResolvers();
    resolve();
  }

  function of(owner: string, workflow: string): CallerBudgets | undefined {
    const own = listed.filter(
      (one) => (one.caller ?? owner) === owner && (one.workflow ?? workflow) === workflow,
    );
    if (own.length === 0) return undefined;

    async function roomFor(
      call: PlannedCall,
      signal: AbortSignal,
    ): Promise<BudgetAnswer & { outcome: 'reserved' }> {
      const until = performance.now() + WAIT_MS;
      for (;;) {
        signal.throwIfAborted();
        const change = settled.promise;
        const answer = await store.reserve(own.map(limitOf), roomOf(call));
        if (answer.outcome === 'reserved') return answer;
        if (!answer.waits || performance.now() > until) throw exceeded(own[answer.limit], answer.waits);
        await Promise.race([change, Bun.sleep(LOOK_MS)]);
      }
    }

    return {
      async refuseUsedUp() {
        const limits = own.map(limitOf);
        const used = await store.used(limits.map(({ scope }) => scope));
        const full = limits.findIndex((limit, index) => isUsedUp(limit, used[index] ?? NOTHING));
        const { endsAt = 0 } = limits[full] ?? {};
        if (full >= 0) throw usedUp(own[full], Math.max(1, Math.ceil((endsAt - now()) / 1000)));
      },
      async reserve(call, signal) {
        const { reservation } = await roomFor(call, signal);
        let isSettled = false;
        return {
          settle(used) {
            if (isSettled) return;
            isSettled = true;
            reservation.settle(amountOf(used));
            announce();
          },
        };
      },
    };
  }

  return { of };
}

export interface RunBudgets {
  meter: TokenMeter;
  /** Call it when the run has ended. Resolves when the run's usage is stored; frees the reservations of open calls 10 s later. */
  end(): Promise<void>;
}

/** Wraps a run's meter so that its calls also reserve from the caller's budgets. */
export function underBudgets(
  meter: TokenMeter,
  budgets: CallerBudgets | undefined,
  store: Pick<BudgetStore, 'counted'>,
): RunBudgets {
  if (!budgets) return { meter, end: async () => {} };
  const open = new Set<Reserved>();
  async function reserve(call: PlannedCall, signal: AbortSignal): Promise<Reserved> {
    const own = await meter.reserve(call, signal);
    const standing = await budgets?.reserve(call, signal);
    const both: Reserved = {
      settle(used) {
        open.delete(both);
        own.settle(used);
        standing?.settle(used);
      },
    };
    open.add(both);
    return both;
  }
  /** Frees the reservations of calls that the graph abandoned. */
  function release(): void {
    for (const reserved of open) reserved.settle(undefined);
  }

  return {
    meter: { check: (inputTokens) => meter.check(inputTokens), reserve },
    async end() {
      if (open.size > 0) setTimeout(release, LEFT_MS).unref();
      await store.counted();
    },
  };
}

function roomOf({ price, inputTokens, maxTokens }: PlannedCall): { least: Amount; most: Amount } {
  const upTo = (outputTokens: number): Amount => ({
    tokens: inputTokens + outputTokens,
    cost: price ? costOf(price, { inputTokens, outputTokens }) : 0,
  });
  return { least: upTo(maxTokens ?? 1), most: upTo(maxTokens ?? LONG_ANSWER_TOKENS) };
}

function amountOf(used: ModelUse | undefined): Amount {
  return used ? { tokens: used.inputTokens + used.outputTokens, cost: used.cost ?? 0 } : NOTHING;
}

function isUsedUp({ tokens, cost }: BudgetLimit, used: Amount): boolean {
  return (tokens !== undefined && used.tokens >= tokens) || (cost !== undefined && used.cost >= cost);
}

type Listed = (BudgetOptions & { index: number }) | undefined;

function usedUp(budget: Listed, retryAfter: number): SkeinError {
  const message = `The budget of this ${budget?.per} is used up`;
  return new SkeinError('BUDGET_EXCEEDED', { message, detail: nameOf(budget), retryAfter, status: 429 });
}

function exceeded(budget: Listed, waits: boolean): SkeinError {
  const message = `The next model call would exceed the budget of this ${budget?.per}`;
  const reserved = waits ? '; calls in progress have reserved the rest' : '';
  return new SkeinError('BUDGET_EXCEEDED', { message, detail: `${nameOf(budget)}${reserved}` });
}

/** `budgets[0] allows 1000 tokens per day of user:ann and the workflow 'sales'`. */
function nameOf(budget: Listed): string {
  if (!budget) return 'budgets';
  const { index, per, tokens, cost, caller, workflow } = budget;
  const amounts = [
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
    ...(cost === undefined ? [] : [`a cost of ${cost}`]),
  ];
  const whose = [...(caller ? [caller] : []), ...(workflow ? [`the workflow '${workflow}'`] : [])];
  const of = whose.length === 0 ? '' : ` of ${whose.join(' and ')}`;
  return `budgets[${index}] allows ${amounts.join(' and ')} per ${per}${of}`;
}
