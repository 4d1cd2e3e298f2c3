/** The queue of webhook deliveries on SQLite. */
import type { Database } from 'bun:sqlite';
import type { RunRow } from '../../driver/rows.ts';
import { toRun } from '../../driver/rows.ts';
import type {
  WebhookAttempt,
  WebhookDelivery,
  WebhookQueue,
  WebhookRecord,
} from '../../resources/webhooks.ts';
import type { Run } from '../../threads/runs.ts';
import type { GroupCommit } from '../file/group-commit.ts';

interface DeliveryRow {
  delivery_id: string;
  url: string;
  run: string;
  head: string | null;
  attempts: string;
}

export interface SqliteWebhooks extends WebhookQueue {
  /** Adds the webhook of a run. Must be called in the transaction of the run's end, after the thread's head is updated. */
  add(runId: string, at: number): void;
}

const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

export function webhooks(db: Database, commit: GroupCommit): SqliteWebhooks {
  const sql = webhookStatements(db);
  const listeners = new Set<() => void>();
  // Only one process uses the file, so held deliveries belong to a process that has ended.
  sql.free.run();

  function take(now: number, { holdMs, limit }: { holdMs: number; limit: number }): WebhookDelivery[] {
    const rows = sql.due.all(now, limit);
    for (const { delivery_id } of rows) sql.hold.run(now + holdMs, delivery_id);
    return rows.map(toDelivery);
  }

  return {
    add(runId, at) {
      const row = sql.run.get(runId);
      const url = row && toRun(row).request.protocol?.webhook;
      if (!url) return;
      const run: Run = { ...toRun(row), agents: [], result: null };
      sql.forget.run(at - RETENTION_MS);
      sql.insert.run(Bun.randomUUIDv7(), row.thread, runId, url, JSON.stringify(run), row.head, at);
      // The transaction is committed by then.
      setImmediate(() => {
        for (const listen of listeners) listen();
      });
    },
    take: (now, options) => commit.commit('webhooks', () => take(now, options)),
    record: (deliveryId, attempt, next) =>
      commit.write(`webhook ${deliveryId}`, () => {
        const text = JSON.stringify(attempt);
        if (typeof next === 'object') sql.retry.run(text, next.at, deliveryId);
        else sql.settle.run(text, next, attempt.at, deliveryId);
      }),
    async nextAt() {
      commit.flush();
      return sql.next.get()?.at ?? null;
    },
    async ofRun(runId) {
      commit.flush();
      return sql.ofRun.all(runId).map(({ delivery_id, state, attempts }) => ({
        ...{ deliveryId: delivery_id, state },
        attempts: JSON.parse(attempts) as WebhookAttempt[],
      }));
    },
    watch(listen) {
      listeners.add(listen);
      return () => void listeners.delete(listen);
    },
  };
}

function webhookStatements(db: Database) {
  // A thread without an owner is being deleted.
  const waiting = `FROM webhook_deliveries AS w INDEXED BY webhook_deliveries_waiting
    JOIN threads AS t ON t.key = w.thread WHERE w.state = 'waiting' AND t.owner <> ''`;
  return {
    run: db.query<RunRow & { head: string | null }, [string]>(
      `SELECT r.*, t.owner, t.thread_id, t.head FROM runs AS r JOIN threads AS t ON t.key = r.thread
       WHERE r.run_id = ?`,
    ),
    insert: db.query(
      `INSERT INTO webhook_deliveries (delivery_id, thread, run_id, url, run, head, due_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ),
    free: db.query('UPDATE webhook_deliveries SET held_until = 0 WHERE held_until > 0'),
    due: db.query<DeliveryRow, [number, number]>(
      `SELECT w.* ${waiting} AND w.due_at <= ?1 AND w.held_until <= ?1 ORDER BY w.due_at LIMIT ?2`,
    ),
    hold: db.query('UPDATE webhook_deliveries SET held_until = ? WHERE delivery_id = ?'),
    next: db.query<{ at: number | null }, []>(`SELECT min(max(w.due_at, w.held_until)) AS at ${waiting}`),
    retry: db.query(
      `UPDATE webhook_deliveries SET attempts = json_insert(attempts, '$[#]', json(?)), due_at = ?, held_until = 0
       WHERE delivery_id = ? AND state = 'waiting'`,
    ),
    // The content is deleted when it is no longer needed.
    settle: db.query(
      `UPDATE webhook_deliveries SET attempts = json_insert(attempts, '$[#]', json(?)), state = ?, settled_at = ?,
         run = NULL, held_until = 0 WHERE delivery_id = ? AND state = 'waiting'`,
    ),
    forget: db.query('DELETE FROM webhook_deliveries WHERE settled_at < ?'),
    ofRun: db.query<{ delivery_id: string; state: WebhookRecord['state']; attempts: string }, [string]>(
      'SELECT * FROM webhook_deliveries WHERE run_id = ?',
    ),
  };
}

function toDelivery({ delivery_id, url, run, head, attempts }: DeliveryRow): WebhookDelivery {
  const [ended, earlier] = [JSON.parse(run) as Run, JSON.parse(attempts) as WebhookAttempt[]];
  return { deliveryId: delivery_id, url, run: ended, head, attempts: earlier };
}
