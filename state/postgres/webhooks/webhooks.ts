/** The queue of webhook deliveries on PostgreSQL. `end_v1` inserts them at the end of runs. */
import { type RunRow, toRun } from '../../driver/rows.ts';
import type {
  WebhookAttempt,
  WebhookDelivery,
  WebhookQueue,
  WebhookRecord,
} from '../../resources/webhooks.ts';
import { announcements } from '../announcements.ts';
import { type Database, document } from '../database/database.ts';

interface DeliveryRow {
  seq: number;
  delivery_id: string;
  url: string;
  /** JSON of the ended run's row. */
  run: string;
  head: string | null;
  attempts: string;
  due_at: number;
}

export interface PostgresWebhooks extends WebhookQueue {
  /** Must be called when the end of a run has inserted a delivery. */
  added(): void;
}

const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_DELETED = 100;

// A thread without an owner is being deleted.
const WAITING = `FROM skein.webhook_deliveries AS w JOIN skein.threads AS t ON t.key = w.thread
  WHERE w.state = 'waiting' AND t.owner <> ''`;

const TAKE = `UPDATE skein.webhook_deliveries AS d SET held_until = $2, held_by = $4
  FROM (SELECT w.seq ${WAITING} AND w.due_at <= $1 AND w.held_until <= $1
    ORDER BY w.due_at, w.seq LIMIT $3 FOR NO KEY UPDATE OF w SKIP LOCKED) AS due
  WHERE d.seq = due.seq
  RETURNING d.seq, d.delivery_id, d.url, d.run, d.head, d.attempts, d.due_at`;

// Few deliveries are held, so each subquery is a short index scan.
const NEXT = `SELECT least(
  (SELECT w.due_at ${WAITING} AND w.held_until <= w.due_at ORDER BY w.due_at LIMIT 1),
  (SELECT min(w.held_until) ${WAITING} AND w.held_until > 0 AND w.held_until > w.due_at)) AS at`;

const ATTEMPTS = 'attempts = (attempts::jsonb || $2::text::jsonb)::text, held_until = 0, held_by = NULL';

const RETRY = `UPDATE skein.webhook_deliveries SET ${ATTEMPTS}, due_at = $3
  WHERE delivery_id = $1 AND state = 'waiting'`;

// Deletes the content, which is no longer needed, and old settled deliveries.
const SETTLE = `WITH forgotten AS (
    DELETE FROM skein.webhook_deliveries WHERE seq IN (
      SELECT seq FROM skein.webhook_deliveries WHERE settled_at < $5
      LIMIT ${MAX_DELETED} FOR UPDATE SKIP LOCKED))
  UPDATE skein.webhook_deliveries SET ${ATTEMPTS}, state = $3, settled_at = $4, run = NULL
  WHERE delivery_id = $1 AND state = 'waiting'`;

/** `server` returns this server's id. Deliveries that it has taken are due again when its lease expires. */
export function webhooks(database: Database, server: () => string): PostgresWebhooks {
  const { announce, watch } = announcements(database, 'webhook');

  return {
    added: announce,
    watch,
    async take(now, { holdMs, limit }) {
      const rows = await database.all<DeliveryRow>(TAKE, now, now + holdMs, limit, server());
      return rows.sort((a, b) => a.due_at - b.due_at || a.seq - b.seq).map(toDelivery);
    },
    async record(deliveryId, attempt, next) {
      const text = document(attempt);
      if (typeof next === 'object') await database.run(RETRY, deliveryId, text, next.at);
      else await database.run(SETTLE, deliveryId, text, next, attempt.at, attempt.at - RETENTION_MS);
    },
    async nextAt() {
      const row = await database.get<{ at: number | null }>(NEXT);
      return row?.at ?? null;
    },
    async ofRun(runId) {
      const rows = await database.all<{
        delivery_id: string;
        state: WebhookRecord['state'];
        attempts: string;
      }>(
        'SELECT delivery_id, state, attempts FROM skein.webhook_deliveries WHERE run_id = $1 ORDER BY seq',
        runId,
      );
      return rows.map(({ delivery_id, state, attempts }) => ({
        ...{ deliveryId: delivery_id, state },
        attempts: JSON.parse(attempts) as WebhookAttempt[],
      }));
    },
  };
}

function toDelivery({ delivery_id, url, run, head, attempts }: DeliveryRow): WebhookDelivery {
  const ended = toRun({ ...(JSON.parse(run) as RunRow), agents: null, result: null });
  return { deliveryId: delivery_id, url, run: ended, head, attempts: JSON.parse(attempts) };
}
