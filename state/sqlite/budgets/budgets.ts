/**
 * Budgets on SQLite. Only one process uses the file, so its memory is authoritative. Reservations are only in memory; usage is
 * written when it is settled.
 */
import type { Database } from 'bun:sqlite';
import {
  type Amount,
  added,
  type BudgetAnswer,
  type BudgetLimit,
  type BudgetRequest,
  type BudgetStore,
  COST_TOLERANCE,
  NOTHING,
  subtracted,
} from '../../usage/budgets.ts';
import type { GroupCommit } from '../file/group-commit.ts';

interface Share {
  endsAt: number;
  /** The usage that other processes recorded before the state was copied to SQLite. */
  others: Amount;
  spent: Amount;
  held: Amount;
}

const PROCESS = 'sqlite';
/** How long a scope is kept after its end, for calls that started before it. */
const KEEP_MS = 24 * 60 * 60 * 1000;

export function budgetStore(db: Database, commit: GroupCommit): BudgetStore {
  const shares = new Map<string, Share>();
  const read = db.query<{ process: string; tokens: number; cost: number }, [string]>(
    'SELECT process, spent_tokens AS tokens, spent_cost AS cost FROM budget_shares WHERE scope = ?',
  );
  const write = db.query<unknown, [string, string, number, number, number]>(
    `INSERT INTO budget_shares (scope, process, ends_at, spent_tokens, spent_cost) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (scope, process) DO UPDATE SET spent_tokens = excluded.spent_tokens, spent_cost = excluded.spent_cost`,
  );
  const forget = db.query<unknown, [number]>('DELETE FROM budget_shares WHERE ends_at < ?');
  let last: Promise<unknown> = Promise.resolve();

  function shareOf(scope: string, endsAt: number): Share {
    const known = shares.get(scope);
    if (known) return known;
    const share: Share = { endsAt, others: NOTHING, spent: NOTHING, held: NOTHING };
    for (const { process, ...amount } of read.all(scope))
      if (process === PROCESS) share.spent = amount;
      else share.others = added(share.others, amount);
    const until = Date.now() - KEEP_MS;
    for (const [name, { endsAt: ended }] of shares) if (ended < until) shares.delete(name);
    shares.set(scope, share);
    return share;
  }

  function reserve(limits: readonly BudgetLimit[], { least, most }: BudgetRequest): BudgetAnswer {
    const each = limits.map((limit) => ({ limit, share: shareOf(limit.scope, limit.endsAt) }));
    const lacks = (held: (share: Share) => Amount) =>
      each.findIndex(({ limit, share }) => !fits(least, availableOf(limit, share, held(share))));
    const full = lacks(() => NOTHING);
    if (full >= 0) return { outcome: 'full', limit: full, waits: false };
    const busy = lacks(({ held }) => held);
    if (busy >= 0) return { outcome: 'full', limit: busy, waits: true };
    const available = each.map(({ limit, share }) => availableOf(limit, share, share.held));
    const granted = {
      tokens: Math.min(most.tokens, ...available.map(({ tokens }) => tokens)),
      cost: Math.min(most.cost, ...available.map(({ cost }) => cost)),
    };
    const scopes = new Map(each.map(({ limit, share }) => [limit.scope, share]));
    for (const share of scopes.values()) share.held = added(share.held, granted);
    return { outcome: 'reserved', reservation: { settle: (used) => settle(scopes, granted, used) } };
  }

  function settle(scopes: Map<string, Share>, granted: Amount, used: Amount): void {
    for (const [scope, share] of scopes) {
      share.held = subtracted(share.held, granted);
      share.spent = added(share.spent, used);
      const written = commit.commit(`budget ${scope}`, () => {
        forget.run(Date.now() - KEEP_MS);
        // Writes the current sum, which may already include later settlements.
        write.run(scope, PROCESS, share.endsAt, share.spent.tokens, share.spent.cost);
      });
      // After a failure, the next settlement writes the whole sum.
      last = written.catch(() => {});
    }
  }

  return {
    reserve: async (limits, request) => reserve(limits, request),
    async used(scopes) {
      return scopes.map((scope) => {
        const { spent, others } = shares.get(scope) ?? stored(scope);
        return added(spent, others);
      });
    },
    async counted() {
      await last;
    },
  };

  function stored(scope: string): Pick<Share, 'spent' | 'others'> {
    return { others: NOTHING, spent: read.all(scope).reduce<Amount>(added, NOTHING) };
  }
}

function availableOf({ tokens, cost }: BudgetLimit, { spent, others }: Share, held: Amount): Amount {
  const remaining = (limit: number | undefined, of: keyof Amount) =>
    limit === undefined ? Number.POSITIVE_INFINITY : limit - spent[of] - others[of] - held[of];
  return { tokens: remaining(tokens, 'tokens'), cost: remaining(cost, 'cost') };
}

function fits(amount: Amount, available: Amount): boolean {
  return amount.tokens <= available.tokens && amount.cost <= available.cost + COST_TOLERANCE;
}
