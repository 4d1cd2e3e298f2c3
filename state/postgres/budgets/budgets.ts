/** Budgets on PostgreSQL. Requests and settlements during a statement share the next one. */
import {
  type Amount,
  added,
  type BudgetAnswer,
  type BudgetLimit,
  type BudgetRequest,
  type BudgetStore,
  NOTHING,
  subtracted,
} from '../../usage/budgets.ts';
import { type Database, document } from '../database/database.ts';

/** The usage and the reservations of this process in a scope. */
interface Share {
  endsAt: number;
  spent: Amount;
  held: Amount;
}

interface QueuedRequest extends BudgetRequest {
  limits: readonly BudgetLimit[];
  answer: PromiseWithResolvers<BudgetAnswer>;
}

type Answer = Amount | { limit: number; waits: boolean };

const RETRY_MS = 500;
/** How long a scope is kept after its end, for calls that started before it. */
const KEEP_MS = 24 * 60 * 60 * 1000;

// Does not start with SELECT, so that the driver does not repeat it after a lost connection. The next statement corrects the
// effects of a lost statement.
const SEND =
  'WITH sent AS (SELECT skein.budget_v1($1::text::jsonb, $2::text::jsonb, $3, $4) AS answers) TABLE sent';

export interface PostgresBudgets extends BudgetStore {
  /** Must be called when the server has a new id: its reservations only count with the lease of that id. */
  serverChanged(): void;
}

export function budgetStore({ database, server }: { database: Database; server(): string }): PostgresBudgets {
  const process = Bun.randomUUIDv7();
  const shares = new Map<string, Share>();
  /** Scopes whose changes have not been written yet. */
  const changed = new Set<string>();
  let waiting: QueuedRequest[] = [];
  let sending: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function shareOf(scope: string, endsAt: number): Share {
    const known = shares.get(scope);
    if (known) return known;
    const until = Date.now() - KEEP_MS;
    for (const [name, share] of shares) if (share.endsAt < until) shares.delete(name);
    database.run('DELETE FROM skein.budget_shares WHERE ends_at < $1', until).catch(() => {});
    const share: Share = { endsAt, spent: NOTHING, held: NOTHING };
    shares.set(scope, share);
    return share;
  }

  function send(): Promise<void> {
    sending ??= sendBatch().finally(() => {
      sending = undefined;
      // The timer retries failed changes.
      if (waiting.length > 0 || (changed.size > 0 && timer === undefined)) void send();
    });
    return sending;
  }

  /** Never rejects. If the statement fails, the requests reject, and the changes are sent again. */
  async function sendBatch(): Promise<void> {
    const requests = waiting;
    waiting = [];
    const scopes = [...changed];
    changed.clear();
    try {
      const row = await database.get<{ answers: Answer[] }>(
        SEND,
        ...[document(scopes.flatMap(shareRow)), document(requests.map(({ answer: _, ...one }) => one))],
        ...[process, server()],
      );
      for (const [index, one] of requests.entries()) one.answer.resolve(answered(one, row?.answers[index]));
    } catch (error) {
      for (const scope of scopes) changed.add(scope);
      for (const { limits, answer } of requests) {
        // The statement may have been executed, so write these scopes again.
        for (const { scope, endsAt } of limits) {
          shareOf(scope, endsAt);
          changed.add(scope);
        }
        answer.reject(error);
      }
      timer ??= setTimeout(retry, RETRY_MS);
    }
  }

  function retry(): void {
    timer = undefined;
    if (changed.size > 0) void send();
  }

  function shareRow(scope: string) {
    const share = shares.get(scope);
    if (!share) return [];
    const { endsAt, spent, held } = share;
    return {
      ...{ scope, ends_at: endsAt, spent_tokens: spent.tokens, spent_cost: spent.cost },
      ...{ held_tokens: held.tokens, held_cost: held.cost },
    };
  }

  function answered({ limits }: QueuedRequest, answer: Answer | undefined): BudgetAnswer {
    if (!answer) throw new Error('PostgreSQL returned no answer');
    if ('limit' in answer) return { outcome: 'full', ...answer };
    const scopes = new Map(limits.map(({ scope, endsAt }) => [scope, shareOf(scope, endsAt)]));
    for (const share of scopes.values()) share.held = added(share.held, answer);
    return {
      outcome: 'reserved',
      reservation: {
        settle(used) {
          for (const [scope, share] of scopes) {
            share.held = subtracted(share.held, answer);
            share.spent = added(share.spent, used);
            changed.add(scope);
          }
          void send();
        },
      },
    };
  }

  async function counted(): Promise<void> {
    // A running statement may not contain the latest changes.
    if (sending) await sending;
    if (changed.size > 0) await send();
  }

  return {
    reserve(limits, request) {
      const answer = Promise.withResolvers<BudgetAnswer>();
      waiting.push({ ...request, limits, answer });
      void send();
      return answer.promise;
    },
    async used(scopes) {
      await counted();
      const rows = await database.all<Amount & { scope: string }>(
        `SELECT scope, sum(spent_tokens)::bigint AS tokens, sum(spent_cost) AS cost FROM skein.budget_shares
         WHERE scope IN (SELECT jsonb_array_elements_text($1::text::jsonb)) GROUP BY scope`,
        document(scopes),
      );
      const known = new Map(rows.map(({ scope, tokens, cost }) => [scope, { tokens, cost }]));
      return scopes.map((scope) => known.get(scope) ?? NOTHING);
    },
    counted,
    serverChanged() {
      for (const [scope, { held }] of shares) if (held.tokens > 0 || held.cost > 0) changed.add(scope);
      if (changed.size > 0) void send();
    },
  };
}
